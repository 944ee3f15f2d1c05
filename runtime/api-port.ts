/** The port through which controllers ask what the API shows of an object and makes of a write. */

import { topologyAnnotations, topologyController } from '../kinds/core/contract/topology.ts';
import { fitVariables } from '../kinds/core/topology/variables.ts';
import type { ApiEffects, ApiReads, Trial } from '../kinds/ports/api.ts';
import { ApiError } from '../machinery/api/errors.ts';
import { definitionOf, groupOf, type KindDefinition, resourceOf } from '../machinery/api/kind.ts';
import { equal } from '../machinery/api/merge.ts';
import type { KubeObject } from '../machinery/api/object.ts';
import type { JsonSchema } from '../machinery/api/schema.ts';
import type { Port } from '../machinery/controller/index.ts';
import { versionNamed } from '../machinery/server/applying.ts';
import { shownFromStored } from '../machinery/server/convert.ts';
import type { Foundation } from './foundation.ts';
import { schemaFit, variableSchemaErrors } from './schemas.ts';

const contractLabel = /^cluster\.x-k8s\.io\/(v\d\w*)$/;
/** The newest contract that the kind implements in this version. */
const contractOf = ({ crdLabels = {} }: KindDefinition, version: string): string =>
  Object.entries(crdLabels)
    .flatMap(([label, versions]) =>
      versions.split('_').includes(version) ? (contractLabel.exec(label)?.[1] ?? []) : [],
    )
    .sort()
    .at(-1) ?? 'v1beta2';

export const apiPort = ({ store, kinds, writer }: Pick<Foundation, 'store' | 'kinds' | 'writer'>): Port => {
  const show = async ({
    apiVersion,
    kind: name,
    ...key
  }: ApiReads['Show'][0]): Promise<ApiReads['Show'][1] | undefined> => {
    const group = groupOf(apiVersion);
    const kind = kinds.find(group, name);
    if (!kind) throw new ApiError(404, 'NotFound', `${name} (${group}) is not served`);
    const definition = await definitionOf(kind);
    const version = versionNamed(definition, apiVersion);
    const stored = await store.get(resourceOf(kind), key);
    if (!stored) return undefined;
    const made = kinds.find(group, name.replace(/Template$/, ''));
    return {
      object: await shownFromStored(definition, version, stored),
      contract: contractOf(made ? await definitionOf(made) : definition, version.name),
    };
  };

  const withMark = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [topologyAnnotations.dryRun]: '' } },
  });
  const withoutMark = (object: KubeObject): KubeObject => {
    const { [topologyAnnotations.dryRun]: _, ...annotations } = object.metadata.annotations ?? {};
    return { ...object, metadata: { ...object.metadata, annotations } };
  };

  const changeOf = (before: KubeObject | undefined, after: KubeObject): 'create' | 'spec' | 'metadata' | 'none' => {
    if (!before) return 'create';
    if (!equal(before.spec, after.spec)) return 'spec';
    const [was, is] = [before.metadata, after.metadata];
    const isSame =
      equal(was.labels ?? {}, is.labels ?? {}) &&
      equal(was.annotations ?? {}, is.annotations ?? {}) &&
      equal(was.ownerReferences ?? [], is.ownerReferences ?? []);
    return isSame ? 'none' : 'metadata';
  };

  const tryApply = async ({ object, manager }: ApiReads['TryApply'][0]): Promise<Trial> => {
    const kind = kinds.find(groupOf(object.apiVersion), object.kind);
    if (!kind) return { refused: `${object.kind} (${groupOf(object.apiVersion)}) is not served` };
    const { namespace = '', name } = object.metadata;
    const before = await store.get(resourceOf(kind), { namespace, name });
    try {
      const after = withoutMark(
        await writer.tryApply(kind, withMark(object), before, { writer: topologyController, manager }),
      );
      return { change: changeOf(before, after), object: after, ...(before && { before }) };
    } catch (error) {
      if (error instanceof ApiError) return { refused: error.message };
      throw error;
    }
  };

  const apply = async ({ object, ...options }: ApiEffects['Apply']): Promise<void> => {
    const kind = kinds.find(groupOf(object.apiVersion), object.kind);
    if (!kind) throw new ApiError(404, 'NotFound', `${object.kind} (${groupOf(object.apiVersion)}) is not served`);
    await writer.apply(kind, object, options);
  };

  return {
    call: async (operation, input) => {
      if (operation !== 'Apply') throw new Error(`the API cannot be asked to ${operation}`);
      await apply(input as unknown as ApiEffects['Apply']);
    },
    read: async (operation, input): Promise<unknown> => {
      switch (operation as keyof ApiReads) {
        case 'Show':
          return show(input as ApiReads['Show'][0]);
        case 'TryApply':
          return tryApply(input as unknown as ApiReads['TryApply'][0]);
        case 'FitVariables': {
          const { definitions, lists } = input as unknown as ApiReads['FitVariables'][0];
          return fitVariables(definitions, lists, schemaFit);
        }
        case 'VariableFaults': {
          const { definitions } = input as unknown as ApiReads['VariableFaults'][0];
          return definitions.flatMap(({ name, schema }) =>
            variableSchemaErrors(schema.openAPIV3Schema as JsonSchema, `variables[${name}].schema.openAPIV3Schema`),
          );
        }
        default:
          throw new Error(`the API cannot be asked for ${operation}`);
      }
    },
  };
};
