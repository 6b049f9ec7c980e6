// Checks a lock file: every package is pinned by a SHA-512 of its content, so that a tampered registry installs nothing,
// and no registry is named, so that any mirror can be used.
import { readFileSync } from 'node:fs';

const [file = 'package-lock.json'] = process.argv.slice(2);
const { packages } = JSON.parse(readFileSync(file, 'utf8'));

const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && !link);
const faults = installed.flatMap(([path, { integrity, resolved }]) => [
  ...(/^sha512-[\w+/]{86}==$/.test(integrity) ? [] : [`${path} has no SHA-512 integrity.`]),
  ...(resolved === undefined ? [] : [`${path} is resolved to ${resolved}.`]),
]);

for (const fault of faults.slice(0, 10)) console.error(fault);
if (faults.length > 0) {
  console.error(
    `${faults.length} faults. Restore the lock file and repeat the change as CONTRIBUTING.md describes.`,
  );
  process.exitCode = 1;
} else {
  console.log(`The lock file pins the content of ${installed.length} packages and names no registry.`);
}
