# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's text: functions as syntax trees, places in files, facts about statements."""
