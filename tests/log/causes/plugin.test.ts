import step from "../../../packages/core/src/log/causes/plugin.ts";
import { holds } from "./holds.ts";

holds(step, [
  [
    "profiler-plugin-version",
    "The profile plugin has moved. Please install the new version of the profile plugin from PyPI by running the following command",
  ],
  ["profiler-plugin-version", "ModuleNotFoundError: No module named 'tensorboard.plugins.profile'"],
  [
    "profiler-plugin-version",
    'File "/opt/venv/lib/python3.9/site-packages/tensorboard_plugin_profile/protobuf/diagnostics_pb2.py", line 36, in <module>',
  ],
  [
    "package-conflict > profiler-plugin-version",
    "If this call came from a _pb2.py file, your generated code is out of date and must be regenerated with protoc >= 3.19.0.",
  ],
  ["profiler-plugin-version > library-not-on-path > library-missing > profiler-permission > not-a-mismatch", "No profile data was found."],
  [
    "profiler-plugin-version",
    "tensorboard==2.2.2\ntensorboard-plugin-profile==2.4.0\ntensorflow==2.2.0\nNo GPU related result showed in the profile page of tensorboard",
  ],
]);
