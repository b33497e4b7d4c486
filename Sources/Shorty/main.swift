print("shorty")
