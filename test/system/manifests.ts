/** The repository's own examples, as objects. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../../machinery/api/object.ts';
import { yamlDocuments } from '../../machinery/api/yaml.ts';

export const example = (name: string): KubeObject[] =>
  yamlDocuments(readFileSync(join(import.meta.dirname, '../../examples', name), 'utf8'))
    .map((document) => document.toJS() as KubeObject | null)
    .filter((object) => object !== null);
