/** `capstan example`: the manifests of examples/, each of which tests bring up and take down. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../machinery/api/object.ts';
import { renderItems } from './output.ts';

const folder = join(import.meta.dirname, '..', 'examples');
const suffix = '.yaml';

export const exampleNames = (): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, -suffix.length))
    .toSorted();

export const exampleText = (name: string): string => readFileSync(join(folder, `${name}${suffix}`), 'utf8');

/** The first sentence of the comment that the manifest begins with. */
export const purposeOf = (text: string): string => {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('#'));
  const comment = lines
    .slice(0, end)
    .map((line) => line.replace(/^#\s*/, ''))
    .join(' ');
  return /^.*?[.:](?=\s|$)/.exec(comment)?.[0].replace(/:$/, '.') ?? comment;
};

/** The lines of its own objects; those of objects within a ConfigMap are indented further. */
const inNamespace = (text: string, namespace: string): string =>
  text
    .replaceAll(/^ {2}namespace: default$/gm, `  namespace: ${namespace}`)
    // An identity serves the namespaces that it lists.
    .replaceAll(/^ {4}list: \[default\]$/gm, `    list: [${namespace}]`);

/** The documents of these kinds; all of them without any. */
const ofKinds = (text: string, kinds: readonly string[] | undefined): string =>
  text
    .split(/^---$/m)
    .filter((document) => kinds === undefined || kinds.includes(/^kind: (\S+)$/m.exec(document)?.[1] ?? ''))
    .join('---');

interface Rendering {
  output?: string;
  namespace?: string;
  kinds?: readonly string[];
}

export const renderExample = async (
  name: string,
  { output: format, namespace = 'default', kinds }: Rendering,
): Promise<string> => {
  const text = inNamespace(ofKinds(exampleText(name), kinds), namespace);
  if (format !== 'json') return text.trim();
  const { yamlDocuments } = await import('../machinery/api/yaml.ts');
  const items = yamlDocuments(text).flatMap((document) => (document.toJS() as KubeObject | null) ?? []);
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items }, null, 2);
};

export const renderExamples = (format: string | undefined): string =>
  renderItems(
    exampleNames().map((name) => ({ name, purpose: purposeOf(exampleText(name)) })),
    format,
    ['NAME', 'PURPOSE'],
    ({ name, purpose }) => [name, purpose],
  );
