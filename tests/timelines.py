"""Timelines, read by the messages of Perfetto's own package."""

from __future__ import annotations

from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent


def slices(data: bytes) -> dict[tuple[str, ...], list[dict[str, Any]]]:
    """By the names of the track and those above it: what is on it, as a viewer puts begin and end together."""
    names: dict[int, tuple[str, ...]] = {}
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    still_open: dict[int, list[dict[str, Any]]] = {}
    for packet in Trace.FromString(data).packet:
        if packet.HasField("track_descriptor"):
            track = packet.track_descriptor
            above = names.get(track.parent_uuid, ())
            names[track.uuid] = (*above, track.name or track.process.process_name)
        elif packet.HasField("track_event"):
            event, stack = packet.track_event, still_open.setdefault(packet.track_event.track_uuid, [])
            if event.type == TrackEvent.TYPE_SLICE_END:
                one = stack.pop()
                one["ns"] = packet.timestamp - one["begin"]
                continue
            about = {each.name: getattr(each, each.WhichOneof("value")) for each in event.debug_annotations}
            one = {
                "name": event.name,
                "begin": packet.timestamp,
                "of": event.categories[0],
                "about": about,
                "depth": len(stack),
            }
            if event.type == TrackEvent.TYPE_SLICE_BEGIN:
                stack.append(one)
            found.setdefault(names[event.track_uuid], []).append(one)
    assert not any(still_open.values()), "each slice ends"
    return found


def on_track(data: bytes, track: str) -> list[dict[str, Any]]:
    """Returns the slices on the tracks of this name, of all JVMs, in order of their beginnings."""
    return sorted(
        (one for path, every in slices(data).items() if path[-1] == track for one in every),
        key=lambda one: one["begin"],
    )
