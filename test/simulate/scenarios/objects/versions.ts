/**
 * Objects written in one version and read in another lose nothing, and omitted fields stay omitted.
 */
import { isDeepStrictEqual } from 'node:util';
import { conversionData } from '../../../../kinds/common/conversion.ts';
import { kinds } from '../../../../kinds/index.ts';
import { apiVersionOf } from '../../../../machinery/api/kind.ts';
import { mergePatch } from '../../../../machinery/api/merge.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import { patchOf, valueAt, valuesOf } from '../fields.ts';
import { specFields } from '../transitions.ts';
import type { Session } from './session.ts';
import { lawful } from './validation.ts';

/** Kinds that create nothing without a Cluster. */
const idle = ['KubeadmControlPlane', 'MachineDeployment', 'KubeadmConfigTemplate', 'ClusterResourceSet'] as const;
const several = 6;
/** Malformed values of the annotation that records nulls. */
const strange = ['no JSON', '7', '[]', '["x"]', '[7, [["spec"]], [[], null, {}]]', '[[["spec", "x"]]]'];

const versionsOf = (kind: string): string[] => {
  const { group, versions } = kinds.find((one) => one.kind === kind)!;
  return versions.flatMap(({ name, served }) => (served ? [apiVersionOf(group, name)] : []));
};
const bodyOf = (kind: (typeof idle)[number], name: string): KubeObject => {
  const { apiVersion, spec } = lawful[kind];
  return { apiVersion: apiVersion!, kind, metadata: { name }, spec: spec! };
};
/** The object with some more fields of its schema, as far as they are valid together. */
const furnished = async ({ client, draw, expect }: Session, body: KubeObject): Promise<KubeObject> => {
  let object = body;
  for (let times = 0; times < several; times++) {
    const field = draw.pick(specFields(body.kind));
    const { value } = draw.pick(valuesOf(field).filter(({ edit }) => edit !== 'invalid' && edit !== 'unset'));
    const before = object as unknown as JsonValue;
    const more = mergePatch(before, patchOf(before, field.path, value)) as unknown as KubeObject;
    const { code } = await client.request('POST', `${pathOf(body.kind)}?dryRun=All`, more);
    if (code === 201) object = more;
    else
      expect(
        `whether ${JSON.stringify(value).slice(0, 99)} as ${field.path.join('.')} is allowed or refused`,
        code,
        422,
      );
  }
  return object;
};
/** The object with an explicit null at this path. */
const withNull = (object: JsonObject, [name, ...rest]: readonly string[]): JsonObject => ({
  ...object,
  [name!]: rest.length === 0 ? null : withNull((object[name!] ?? {}) as JsonObject, rest),
});

/**
 * Writes back what was read. It retries after a conflict with the controller, which writes at least
 * observedGeneration.
 */
const writeBack = async ({ client, ask, expect }: Session, place: string): Promise<void> => {
  for (let times = 1; ; times++) {
    const { code } = await client.request('PUT', place, await ask('GET', place, 200));
    if (code !== 409 || times === several) return expect(`the answer to an unchanged update of ${place}`, code, 200);
  }
};

export const versions = {
  'write back in another version': async (session: Session) => {
    const { ask, draw, expect } = session;
    const kind = draw.pick(idle);
    const name = session.newName();
    const [first, ...others] = versionsOf(kind).map((version) => pathOf(kind, version));
    await ask('POST', first!, 201, await furnished(session, bodyOf(kind, name)));
    for (const other of others) {
      const before = await ask('GET', `${first}/${name}`, 200);
      await writeBack(session, `${other}/${name}`);
      const after = await ask('GET', `${first}/${name}`, 200);
      const what = `${kind} ${JSON.stringify(before.spec)}, written back as read in ${other}`;
      const expectSame = (title: string, { spec }: KubeObject) =>
        expect(`${title} is unchanged, not ${JSON.stringify(spec)}`, isDeepStrictEqual(spec, before.spec), true);
      expectSame(what, after);
      expect(`the generation of ${what}`, after.metadata.generation, before.metadata.generation);
      const annotations = { [conversionData]: draw.pick(strange) };
      await ask('PATCH', `${first}/${name}`, 200, { metadata: { annotations } });
      await ask('GET', `${other}/${name}`, 200);
      expectSame(`${what} with an annotation`, await ask('GET', `${first}/${name}`, 200));
    }
    await ask('DELETE', `${first}/${name}`, 200);
  },
  'write nulls': async (session: Session) => {
    const { ask, draw, expect } = session;
    const kind = draw.pick(idle);
    const place = `${pathOf(kind)}?dryRun=All`;
    const body = bodyOf(kind, 'silent');
    const plain = await ask('POST', place, 201, body);
    const silent = specFields(kind).filter(({ path, schema }) => {
      const isOpen = path.includes('*') || schema.nullable || schema.default !== undefined;
      const parent = valueAt(body as unknown as JsonValue, path.slice(0, -1));
      return !isOpen && parent !== undefined && valueAt(plain as unknown as JsonValue, path) === undefined;
    });
    for (let times = 0; times < several; times++) {
      const { path } = draw.pick(silent);
      const nothing = withNull(body as unknown as JsonObject, path);
      const { spec } = await ask('POST', place, 201, nothing);
      expect(
        `${kind} with null as ${path.join('.')} equals the object without it`,
        isDeepStrictEqual(spec, plain.spec),
        true,
      );
    }
  },
};
