/** What a command reads and writes, as far as it is not the database: the process, or a test in its place. */
export type Terminal = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;
