/** What would be done to a target: packages that are installed, and things that are taken away. */
export interface Changes {
  /** Installed with pip, in every environment: requirements, such as `torch==2.6.0`. */
  with?: string[];
  /** The same, only where some release of the package is there. */
  replace?: string[];
  /**
   * Taken away everywhere: a Python package, a library (`cudnn`), a toolkit (`cuda-toolkit`), a package of the system, each with versions
   * if wanted (`cudnn<9.1`), or a path.
   */
  without?: string[];
}
