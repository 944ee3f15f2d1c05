import { expect, it } from 'vitest';
import { kinds } from '../kinds/index.ts';
import { yamlDocuments } from '../machinery/api/yaml.ts';
import { exampleNames, exampleText, purposeOf, renderExample, renderExamples } from './examples.ts';

it.each([
  { rule: 'is one line', text: '# A cluster. More of it.\nkind: A\n', says: 'A cluster.' },
  { rule: 'goes over lines', text: '# A cluster\n# of yours: and more.\nkind: A\n', says: 'A cluster of yours.' },
  {
    rule: 'does not end within a name',
    text: '# Uses node.example.com here.\nkind: A\n',
    says: 'Uses node.example.com here.',
  },
])('the purpose of an example $rule', ({ text, says }) => expect(purposeOf(text)).toBe(says));

it('lists every example with its purpose', () => {
  const lines = renderExamples(undefined).split('\n');
  expect(lines).toHaveLength(exampleNames().length + 1);
  for (const line of lines.slice(1)) expect(line).toMatch(/^[a-z0-9-]+ +[A-Z].{20,140}\.$/);
});

it('prints one as it is written, or as a List for clients that want JSON', async () => {
  expect(`${await renderExample('quickstart', {})}\n`).toBe(exampleText('quickstart'));
  const list = JSON.parse(await renderExample('quickstart', { output: 'json' })) as { kind: string; items: unknown[] };
  expect(list.kind).toBe('List');
  expect(list.items).toHaveLength(yamlDocuments(exampleText('quickstart')).length);
});

it.each(exampleNames())('prints all objects of %s in another namespace', async (name) => {
  const text = await renderExample(name, { output: 'json', namespace: 'team-a' });
  const { items } = JSON.parse(text) as {
    items: { kind: string; metadata: { namespace: string }; spec?: { allowedNamespaces?: object } }[];
  };
  const namespaced = items.filter((item) => kinds.find(({ kind }) => kind === item.kind)?.namespaced);
  expect(new Set(namespaced.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['team-a']));
  expect(text).not.toContain('namespace: default');
  for (const { spec } of items)
    if (spec?.allowedNamespaces) expect(spec.allowedNamespaces).toEqual({ list: ['team-a'] });
});

it('prints the objects of some kinds alone', async () => {
  const kinds = ['ClusterResourceSet', 'ConfigMap'];
  const documents = yamlDocuments(await renderExample('cluster-class', { kinds }));
  expect(documents.map((document) => (document.toJS() as { kind: string }).kind)).toEqual(kinds);
});
