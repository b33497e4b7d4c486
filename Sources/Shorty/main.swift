// Only calls a function: closures made here would be bound to the main actor and trap on other threads.
Entry.run()
