import { beforeAll, describe, expect, it } from 'vitest';
import { kinds } from '../../../kinds/index.ts';
import { apiVersionOf } from '../../../machinery/api/kind.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { example } from '../../system/manifests.ts';
import { createWorld, type World } from '../../system/world.ts';
import { fieldsOf, patchOf, valuesOf } from './fields.ts';
import { expectKubernetes } from './transitions.ts';

const edited = kinds.filter(({ served = true, kind }) => served && kind !== 'Event');
const cases = edited.flatMap((kind) =>
  kind.versions
    .filter(({ served }) => served)
    .map((version) => ({ name: `${kind.kind} ${version.name}`, kind, version })),
);

describe('any value in a field', () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld();
    for (const object of example('quickstart.yaml')) await world.apply(object);
    await world.pass(12);
  }, 600_000);

  it.each(cases)('of $name is accepted, or refused as Kubernetes does', async ({ kind, version }) => {
    const root = kind.group ? `/apis/${apiVersionOf(kind.group, version.name)}` : `/api/${version.name}`;
    const path = kind.namespaced ? `${root}/namespaces/default/${kind.plural}` : `${root}/${kind.plural}`;
    const { body } = await world.request('GET', path);
    const [object] = (body as unknown as { items: KubeObject[] }).items;
    const name = object?.metadata.name ?? 'another';
    const broken: string[] = [];
    const { apiVersion: _, kind: __, metadata: ___, ...content } = version.schema.properties ?? {};
    for (const field of fieldsOf({ properties: content })) {
      for (const { edit, value } of valuesOf(field)) {
        const patch = patchOf((object ?? {}) as unknown as JsonValue, field.path, value);
        const isThere = object !== undefined;
        const answer = isThere
          ? await world.request('PATCH', `${path}/${name}?dryRun=All`, patch, 'application/merge-patch+json')
          : await world.request('POST', `${path}?dryRun=All`, { metadata: { name }, ...(patch as object) });
        try {
          expectKubernetes(answer, `${edit} ${field.path.join('.')} ${JSON.stringify(value).slice(0, 60)}`);
        } catch (error) {
          broken.push((error as Error).message);
        }
      }
    }
    expect(broken.join('\n')).toBe('');
  }, 600_000);
});
