"""statsd over UDP on the loopback, by the Python client `statsd`, to a process that receives all it can."""
import os
import signal
import socket

import peer
import statsd

ours, partners, loop_calls, paced_calls = peer.options()
receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
receiver.bind(("127.0.0.1", 0))
port = receiver.getsockname()[1]
child = os.fork()
if child == 0:
    peer.pin(partners)
    while receiver.recv(65536) != b"end:1|c":
        pass
    os._exit(0)
peer.pin(ours)
client = statsd.StatsClient("127.0.0.1", port)
try:
    peer.serve([lambda: peer.measure("incr", lambda: client.incr("bench"), loop_calls, paced_calls)])
finally:
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
