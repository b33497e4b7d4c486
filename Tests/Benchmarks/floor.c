// The floor under a redirect: what any server on this machine pays that waits with epoll, receives once and sends once for each
// request. It reads nothing, looks nothing up and always answers the same. With another congestion control than the system's, where
// one is named, since that alone is a part of what a redirect costs.
// For the benchmark alone: it takes a request to be whole when it arrives, as wrk's are.
// usage: floor PORT LOOPS [CONTROL]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

// As long as Shorty's answer to one of the benchmark's links.
static const char answer[] =
    "HTTP/1.1 302 Found\r\n"
    "Date: Tue, 01 Jan 2030 00:00:00 GMT\r\n"
    "Location: https://example.com/some/long/path?id=100000\r\n"
    "Cache-Control: no-store\r\n"
    "Content-Length: 0\r\n"
    "\r\n";

static struct sockaddr_in address;
static const char *control;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

// Every loop has a listener of its own on the same port; the kernel spreads the connections.
static int listening(void) {
    int on = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(listener, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    if (control && setsockopt(listener, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control))) fail(control);
    if (bind(listener, (struct sockaddr *)&address, sizeof address)) fail("bind");
    if (listen(listener, 1024)) fail("listen");
    return listener;
}

static void watch(int poller, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
}

static void *loop(void *unused) {
    int on = 1, client, listener = listening(), poller = epoll_create1(0);
    struct epoll_event events[256];
    char request[4096];
    watch(poller, listener);
    for (;;) {
        int ready = epoll_wait(poller, events, 256, -1);
        for (int i = 0; i < ready; i++) {
            int descriptor = events[i].data.fd;
            if (descriptor == listener) {
                while ((client = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
                    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                    watch(poller, client);
                }
            } else if (recv(descriptor, request, sizeof request, 0) <= 0) {
                close(descriptor);
            } else {
                send(descriptor, answer, sizeof answer - 1, MSG_NOSIGNAL);
            }
        }
    }
    return unused;
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) {
        fputs("usage: floor PORT LOOPS [CONTROL]\n", stderr);
        return 2;
    }
    address.sin_family = AF_INET;
    address.sin_port = htons(atoi(arguments[1]));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    control = arguments[3];
    pthread_t thread;
    for (int more = atoi(arguments[2]) - 1; more > 0; more--)
        if (pthread_create(&thread, NULL, loop, NULL)) fail("pthread_create");
    loop(NULL);
}
