/** The mode in which a database is used: test money and real money never share one. */
export type InstallationMode = 'test' | 'live';

export abstract class InstallationRepository {
  /** Records the mode at the first start. @returns the recorded mode */
  abstract claimMode(mode: InstallationMode): Promise<InstallationMode>;
}
