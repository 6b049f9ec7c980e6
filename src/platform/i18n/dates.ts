/** Returns a date and time as it is written in a language (BCP 47), in an IANA time zone, with the name of the zone. */
export function formatDateTime(at: Date, language: string, timezone: string): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: timezone,
    timeZoneName: 'short',
  }).format(at);
}
