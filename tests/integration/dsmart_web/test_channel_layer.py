"""The channel layer under threads and several event loops."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict

import pytest
from asgiref.sync import async_to_sync
from channels.exceptions import ChannelFull

from dsmart_web.embedded.channel_layer import LoopSafeChannelLayer


def send_from_threads(layer: LoopSafeChannelLayer, *, groups: int, messages: int) -> list[threading.Thread]:
    def send(group: int) -> None:
        for number in range(messages):
            async_to_sync(layer.group_send)(f"group.{group}", {"type": "event", "group": group, "number": number})

    threads = [threading.Thread(target=send, args=(group,)) for group in range(groups)]
    for thread in threads:
        thread.start()
    return threads


async def test_messages_of_threads_arrive_whole_and_in_order() -> None:
    layer = LoopSafeChannelLayer(capacity=10_000)
    groups, receivers, messages = 8, 5, 100
    channels = {}
    for group in range(groups):
        for _ in range(receivers):
            channel = await layer.new_channel()
            await layer.group_add(f"group.{group}", channel)
            channels[channel] = group
    received: dict[str, list[int]] = defaultdict(list)

    async def receive(channel: str) -> None:
        for _ in range(messages):
            received[channel].append((await layer.receive(channel))["number"])

    receiving = [asyncio.create_task(receive(channel)) for channel in channels]
    threads = send_from_threads(layer, groups=groups, messages=messages)
    await asyncio.wait_for(asyncio.gather(*receiving), 60)
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert len(received) == groups * receivers
    assert all(numbers == list(range(messages)) for numbers in received.values())


def test_receivers_on_several_loops_are_all_woken() -> None:
    layer = LoopSafeChannelLayer(capacity=1_000)
    received: dict[int, list[int]] = defaultdict(list)
    ready = threading.Barrier(4)

    def receive(index: int) -> None:
        async def main() -> None:
            channel = await layer.new_channel()
            await layer.group_add("group.0", channel)
            await asyncio.to_thread(ready.wait, 10)
            for _ in range(200):
                message = await asyncio.wait_for(layer.receive(channel), 30)
                received[index].append(message["number"])

        asyncio.run(main())

    loops = [threading.Thread(target=receive, args=(index,)) for index in range(3)]
    for loop in loops:
        loop.start()
    ready.wait(10)
    for thread in [*send_from_threads(layer, groups=1, messages=200), *loops]:
        thread.join(60)
    assert [received[index] for index in range(3)] == [list(range(200))] * 3


async def test_receive_that_is_cancelled_loses_nothing() -> None:
    layer = LoopSafeChannelLayer()
    first = asyncio.create_task(layer.receive("channel"))
    second = asyncio.create_task(layer.receive("channel"))
    await asyncio.sleep(0)
    await layer.send("channel", {"type": "event", "number": 1})
    first.cancel()
    assert (await asyncio.wait_for(second, 5))["number"] == 1
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_receiver_changes_its_own_copy_only() -> None:
    layer = LoopSafeChannelLayer()
    for channel in ("one", "two"):
        await layer.group_add("group", channel)
    sent = {"type": "event", "data": {"text": "Paris"}}
    await layer.group_send("group", sent)
    (await layer.receive("one"))["data"]["text"] = "Lyon"
    sent["data"] = {}
    assert (await layer.receive("two"))["data"] == {"text": "Paris"}


async def test_full_channel_refuses_and_is_passed_over_by_its_group() -> None:
    layer = LoopSafeChannelLayer(capacity=2)
    await layer.group_add("group", "slow")
    await layer.group_add("group", "quick")
    for number in range(2):
        await layer.send("slow", {"type": "event", "number": number})
    with pytest.raises(ChannelFull):
        await layer.send("slow", {"type": "event", "number": 2})
    await layer.group_send("group", {"type": "event", "number": 3})
    assert (await layer.receive("quick"))["number"] == 3
    assert [(await layer.receive("slow"))["number"] for _ in range(2)] == [0, 1]


async def test_channel_that_left_its_group_hears_nothing_more() -> None:
    layer = LoopSafeChannelLayer()
    await layer.group_add("group", "channel")
    await layer.group_discard("group", "channel")
    await layer.group_send("group", {"type": "event"})
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(layer.receive("channel"), 0.05)
    assert not layer._groups and not layer._mailboxes


async def test_message_that_nobody_took_in_time_is_dropped() -> None:
    layer = LoopSafeChannelLayer(expiry=0.01)
    await layer.send("gone", {"type": "event"})
    await asyncio.sleep(0.05)
    await layer.new_channel()
    assert not layer._mailboxes
