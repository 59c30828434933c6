"""The prompt texts, as files, and how a turn's prompt is put together."""
