import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rulesManifest } from './kubernetes/rules.ts';

// Writes the alerts as Kubernetes takes them, after a change of deploy/observability/alerts.yml.
const inDeploy = (file: string): string => fileURLToPath(new URL(`../../deploy/${file}`, import.meta.url));
const rules = readFileSync(inDeploy('observability/alerts.yml'), 'utf8');
writeFileSync(inDeploy('kubernetes/components/observability/rules.yaml'), rulesManifest(rules));
