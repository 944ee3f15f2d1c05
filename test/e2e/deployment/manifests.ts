/** The examples, adapted for a story. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = join(import.meta.dirname, '../../../examples');

const replaced = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replaceAll(from instanceof RegExp ? new RegExp(from, 'g') : from, to);
  if (changed === text) throw new Error(`an example has changed: it does not say ${from}`);
  return changed;
};

/** examples/quickstart.yaml under another name and in the region of the installation. */
export const quickstart = (name: string, region: string): string => {
  const text = readFileSync(join(examples, 'quickstart.yaml'), 'utf8');
  const here = region === 'eu-central-1' ? text : replaced(text, 'region: eu-central-1', `region: ${region}`);
  return name === 'quickstart' ? here : replaced(here, 'quickstart', name);
};

/** The same with annotations on its Cluster. */
export const annotated = (manifest: string, annotations: Record<string, string>): string => {
  const lines = Object.entries(annotations).map(([key, value]) => `    ${key}: '${value}'\n`);
  return replaced(
    manifest,
    /kind: Cluster\nmetadata:\n/,
    `kind: Cluster\nmetadata:\n  annotations:\n${lines.join('')}`,
  );
};

/** examples/three-control-planes.yaml in the region of the installation. */
export const production = (region: string): string => {
  const text = readFileSync(join(examples, 'three-control-planes.yaml'), 'utf8');
  return region === 'eu-west-1' ? text : replaced(text, 'region: eu-west-1', `region: ${region}`);
};
