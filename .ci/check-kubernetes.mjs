// Validates manifests of Kubernetes against its schemas: node .ci/check-kubernetes.mjs <files>. It prints what is wrong,
// and the resources that have no schema here because another project defines them.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

for (const file of process.argv.slice(2)) {
  for (const document of parseAllDocuments(readFileSync(file, 'utf8'))) {
    const { kind, apiVersion, ...resource } = document.toJS();
    if (kind === 'Kustomization') continue;
    const models = await import(`kubernetes-models/${apiVersion}`).catch(() => null);
    if (models === null) console.log(`${apiVersion} ${kind}: not checked`);
    else if (models[kind] === undefined) fail(`${file}: ${apiVersion} has no ${kind}`);
    else validate(file, new models[kind](resource));
  }
}

function validate(file, model) {
  try {
    model.validate();
  } catch (error) {
    fail(`${file}: ${error.message}`);
  }
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
