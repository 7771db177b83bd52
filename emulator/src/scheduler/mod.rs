//! Threads over virtual time: the task library, signals, resumption points.
