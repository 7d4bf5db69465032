"""Reaching others: the machine's loopback, the world, abstract sockets, rare families, and being reached."""

from .attack import harm

__all__ = ["ATTACKS"]

ATTACKS = (
    harm(
        "loopback",
        "connects to a server on the machine's loopback",
        """
        import socket

        def solve(*args):
            for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"), (socket.AF_INET, "0.0.0.0")):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                    with socket.socket(family, kind) as peer:
                        peer.settimeout(0.2)
                        try:
                            peer.connect((host, @PORT@))
                            peer.sendall(b"@MARK@")
                        except OSError:
                            pass
            return 0
        """,
    ),
    harm(
        "world",
        "connects to addresses and names in the network",
        """
        import socket

        def solve(*args):
            for host in ("192.0.2.1", "169.254.169.254", "10.0.0.1", "2001:db8::1"):
                with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as peer:
                    peer.setblocking(False)
                    try:
                        peer.connect((host, 80))
                    except OSError:
                        pass
            try:
                return socket.getaddrinfo("example.org", 80)
            except OSError:
                return 0
        """,
    ),
    harm(
        "abstract-socket",
        "connects to abstract Unix sockets, which lie in no file system",
        """
        import io
        import socket

        def solve(*args):
            names = ["@ABSTRACT@"]
            try:
                with io.open("/proc/net/unix") as table:
                    names += [line.split("@", 1)[1].strip() for line in table if " @" in line]
            except OSError:
                pass
            for name in names:
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
                    with socket.socket(socket.AF_UNIX, kind) as peer:
                        peer.settimeout(0.2)
                        try:
                            peer.connect("\\0" + name)
                            peer.sendall(b"@MARK@")
                        except OSError:
                            pass
            return 0
        """,
    ),
    harm(
        "rare-sockets",
        "opens raw, packet, hypervisor, crypto and netlink sockets",
        """
        import socket

        def solve(*args):
            for family in range(46):
                for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
                    try:
                        with socket.socket(family, kind) as peer:
                            peer.settimeout(0.1)
                            if family == 40:  # vsock
                                peer.connect((2, @PORT@))
                    except OSError:
                        pass
            return 0
        """,
    ),
    harm(
        "server",
        "leaves a server in the background, on every address and under an abstract name",
        """
        import posix
        import socket

        def solve(*args):
            if posix.fork() == 0:
                posix.setsid()
                with socket.socket() as server, socket.socket(socket.AF_UNIX) as named:
                    server.bind(("0.0.0.0", 0))
                    named.bind("\\0@MARK@-server")
                    server.listen()
                    named.listen()
                    server.accept()
            return 0
        """,
    ),
)
