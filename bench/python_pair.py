#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sender and a receiver of one node by the Python package, each a process of its own.

Usage: python_pair.py SOCKET SECONDS BYTES [one]
`one`: a call for each ADU instead of send_many() and receive_many(). Prints the result as JSON.
"""
import json
import multiprocessing
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "clients/python/src"))
import farlink  # noqa: E402

BATCH = 1000
WINDOW = 1024
SILENCE_S = 5
RECEIVER = "ipn:10.5002"


def send(socket, seconds, payload, one, started, result):
    with farlink.connect("5001", address=socket, window=WINDOW) as endpoint:
        started.wait()
        begin, sent, refused = time.monotonic(), 0, 0
        while time.monotonic() - begin < seconds:
            if one:
                endpoint.send(RECEIVER, payload)
                sent += 1
                continue
            answers = endpoint.send_many([(RECEIVER, payload)] * BATCH)
            sent += len(answers)
            refused += sum(answer.error is not None for answer in answers)
        result.send((begin, sent, refused))


def receive(socket, one, started, result):
    with farlink.connect("5002", address=socket, window=WINDOW) as endpoint:
        started.set()
        received, last = 0, time.monotonic()
        try:
            while True:
                if one:
                    endpoint.accept(endpoint.receive(timeout=SILENCE_S))
                    received += 1
                else:
                    adus = endpoint.receive_many(BATCH, timeout=SILENCE_S)
                    endpoint.accept_many(adus)
                    received += len(adus)
                last = time.monotonic()
        except farlink.TimedOut:
            result.send((last, received))


def main(socket, seconds, size, one):
    payload = bytes(size)
    started = multiprocessing.Event()
    sent_from, sent_to = multiprocessing.Pipe(False)
    received_from, received_to = multiprocessing.Pipe(False)
    processes = [
        multiprocessing.Process(target=receive, args=(socket, one, started, received_to)),
        multiprocessing.Process(target=send,
                                args=(socket, seconds, payload, one, started, sent_to))]
    for process in processes:
        process.start()
    begin, sent, refused = sent_from.recv()
    end, received = received_from.recv()
    for process in processes:
        process.join()
    print(json.dumps({"sent": sent, "refused": refused, "received": received,
                      "seconds": end - begin, "p50_us": 0, "p99_us": 0}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["one"])
