import { notice, type Signature } from "../signature.ts";

/** DCGM and its exporter (dcgm-exporter's Go log; dcgm_errors.h). */
export default [
  notice(
    // dcgm-exporter: the fields of its list are not among those of this GPU.
    "dcgm-no-profiling",
    ["error watching fields", "watching metrics", "failed to watch metrics"],
    /(?:Error watching fields|[Ff]ailed to watch metrics|[Ee]rror watching metrics)[^\n]{0,120}(?:Feature not supported|not supported|module of DCGM)/,
    'level=fatal msg="Error watching fields: Feature not supported"',
  ),
  notice(
    "dcgm-no-profiling",
    [
      "not collecting dcp metrics",
      "profiling is not supported for this group",
      "serviced by a module of dcgm",
      "dcp metrics are supported",
    ],
    /Not collecting DCP metrics|\bDCP metrics are supported (?:for|on) [^\n]{0,80}\bonly\b|Profiling is not supported for this group of GPUs|serviced by a module of DCGM that is not currently loaded/,
    'level=info msg="Not collecting DCP metrics: This request is serviced by a module of DCGM that is not currently loaded"',
    "DCP metrics are supported for Volta, Turing and Ampere GPUs only",
    "Error getting supported metrics: Profiling is not supported for this group of GPUs or GPU",
  ),
  notice(
    // dcgm_errors.h
    "dcgm-profiling-taken",
    "third-party profiling module",
    /third-party Profiling module returned an unrecoverable error/i,
    "Error setting watches. Result: The third-party Profiling module returned an unrecoverable error",
  ),
  notice(
    // A row of `dcgmi modules -l`.
    "dcgm-no-profiling",
    "| profiling ",
    /\|\s{0,4}\d{1,2}\s{0,12}\|\s{0,4}Profiling\s{1,40}\|\s{0,4}(?:Failed to load|Denylisted|Blacklisted)/,
    "| 8         | Profiling          | Failed to load                                   |",
  ),
  notice(
    "dcgm-privilege",
    "sufficient privileges to expose profiling metrics",
    /doesn't have sufficient privileges to expose profiling metrics/,
    "Warning #2: dcgm-exporter doesn't have sufficient privileges to expose profiling metrics. To get profiling metrics with dcgm-exporter, use --cap-add SYS_ADMIN",
  ),
  notice(
    "dcgm-not-started",
    ["dcgm initialization error", "libnvidia-ml.so not found"],
    /Error starting nv-hostengine: DCGM initialization error|DCGM initialization error/,
    'level=fatal msg="Error starting nv-hostengine: DCGM initialization error"',
  ),
] satisfies Signature[];
