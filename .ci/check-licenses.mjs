// Checks the licenses in a CycloneDX SBOM of npm against the licenses that the project accepts.
import { readFileSync } from 'node:fs';
import satisfies from 'spdx-satisfies';

const ACCEPTED = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
];

/** For tools and data that are used in development only and are not distributed. */
const ACCEPTED_IN_DEVELOPMENT = ['CC-BY-3.0', 'CC-BY-4.0', 'MPL-2.0'];

/** Packages that declare their license where npm does not read it: in an old form, or (png-js) in the file LICENSE only. */
const DECLARED_ELSEWHERE = { 'passport-strategy': 'MIT', pause: 'MIT', 'png-js': 'MIT' };

const { components } = JSON.parse(readFileSync(process.argv[2], 'utf8'));

function licenseOf({ name, licenses: [declared] = [] }) {
  return declared?.expression ?? declared?.license?.id ?? DECLARED_ELSEWHERE[name] ?? null;
}

function isAccepted(component) {
  const license = licenseOf(component);
  const isDevelopment = component.properties.some(({ name }) => name === 'cdx:npm:package:development');
  const accepted = isDevelopment ? [...ACCEPTED, ...ACCEPTED_IN_DEVELOPMENT] : ACCEPTED;
  try {
    return license !== null && satisfies(license, accepted);
  } catch {
    return false; // not an SPDX expression
  }
}

const rejected = components.filter((component) => !isAccepted(component));
for (const component of rejected) {
  console.error(
    `${component.name}@${component.version}: the license ${licenseOf(component)} is not accepted.`,
  );
}
if (rejected.length > 0) process.exitCode = 1;
else console.log(`The licenses of ${components.length} packages are accepted.`);
