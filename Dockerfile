# Shorty in a container. Everything it keeps is in /data:
#
#     docker build -t shorty .
#     docker run -d --name shorty -p 8080:8080 -v shorty:/data -e SHORTY_SERVER_PUBLIC_URL=https://s.example shorty
#     docker exec shorty shorty key create --name me
#
# Stage 1 builds; stage 2 has the program, the libraries that it is linked to, and nothing else.
FROM swift:6.3-bookworm AS build
WORKDIR /build
COPY config/install-packages config/
RUN config/install-packages && rm -rf /var/lib/apt/lists/*
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY migrations migrations
RUN swift build -c release --product shorty && install -s .build/release/shorty /usr/local/bin/shorty

FROM debian:bookworm-slim
COPY config/install-packages /usr/local/share/shorty/
RUN /usr/local/share/shorty/install-packages --runtime && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 990 --user-group --home-dir /data --shell /usr/sbin/nologin shorty \
    && install -d -o shorty -g shorty -m 700 /data
COPY config/shorty.json5 /usr/local/share/shorty/
COPY --from=build /usr/local/bin/shorty /usr/local/bin/shorty

USER shorty
WORKDIR /data
VOLUME /data
EXPOSE 8080
# In a container every address is that of the container; the port is published by whoever runs it.
ENV SHORTY_SERVER_LISTEN=:8080 SHORTY_STORE_DATABASE=/data/shorty.db
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["shorty", "health"]
ENTRYPOINT ["shorty"]
CMD ["serve"]
