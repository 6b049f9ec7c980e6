/** Loaded before a service (`node --require`): its clock is ahead by CLOCK_SKEW_MS, or behind if that is negative. */
const RealDate = Date;
const skewMs = Number(process.env.CLOCK_SKEW_MS);

globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + skewMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + skewMs;
  }
};
