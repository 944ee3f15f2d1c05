/** Applies the patches of a ClusterClass to its templates. Pure. */
import { ApiError } from '../../../machinery/api/errors.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { jsonPatch } from '../../../machinery/api/patch.ts';
import type { ClusterClassSpec } from '../cluster-class/schema.ts';
import { matchesClassName } from '../cluster-class/validate-patches.ts';
import type { Variables } from './builtins.ts';
import { PatchError, patchValue, renderedValue } from './values.ts';

export type Patch = NonNullable<ClusterClassSpec['patches']>[number];
type Definition = NonNullable<Patch['definitions']>[number];

/** The object that refers to what is made of a template, and by which field. */
export interface Holder {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  fieldPath: string;
}

/** A template, where the class uses it, and the variables that its patches see. */
export interface Item {
  object: KubeObject;
  use: { part: 'infrastructure' | 'controlPlane' } | { part: 'machineDeployment' | 'machinePool'; className: string };
  holder: Holder;
  variables: Variables;
}

const selects = ({ selector }: Definition, { object, use }: Item): boolean => {
  if (object.apiVersion !== selector.apiVersion || object.kind !== selector.kind) return false;
  const { infrastructureCluster, controlPlane, machineDeploymentClass, machinePoolClass } = selector.matchResources;
  switch (use.part) {
    case 'infrastructure':
      return infrastructureCluster === true;
    case 'controlPlane':
      return controlPlane === true;
    default: {
      const selected = use.part === 'machinePool' ? machinePoolClass : machineDeploymentClass;
      return (selected?.names ?? []).some((name) => matchesClassName(name, use.className));
    }
  }
};

const isEnabled = ({ enabledIf }: Patch, variables: Variables): boolean =>
  enabledIf === undefined || renderedValue(enabledIf, variables) === true;

/** Only spec, labels and annotations may change. */
export const kept = (before: KubeObject, patched: KubeObject): KubeObject => {
  const { labels, annotations, ...metadata } = before.metadata;
  const next = patched.metadata;
  return {
    ...before,
    metadata: {
      ...metadata,
      ...(next?.labels && { labels: next.labels }),
      ...(next?.annotations && { annotations: next.annotations }),
    },
    ...(patched.spec !== undefined && { spec: patched.spec }),
  };
};

const applied = (object: KubeObject, definition: Definition, variables: Variables): KubeObject => {
  const operations = definition.jsonPatches.map((one) => ({
    op: one.op,
    path: one.path,
    ...(one.op !== 'remove' && { value: patchValue(one, variables) }),
  }));
  let result: unknown = structuredClone(object);
  for (const operation of operations) {
    try {
      result = jsonPatch(result, [operation]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new PatchError(`failed to ${operation.op} ${operation.path} of ${object.kind} ${object.metadata.name}`);
    }
  }
  return kept(object, result as KubeObject);
};

const patchedItem = (item: Item, patch: Patch): KubeObject => {
  const definitions = (patch.definitions ?? []).filter((definition) => selects(definition, item));
  if (definitions.length === 0 || !isEnabled(patch, item.variables)) return item.object;
  return definitions.reduce((object, definition) => applied(object, definition, item.variables), item.object);
};

/** The templates after a patch with definitions. */
export const patchedItems = (items: readonly Item[], patch: Patch): Item[] => {
  try {
    return items.map((item) => ({ ...item, object: patchedItem(item, patch) }));
  } catch (error) {
    if (error instanceof PatchError) throw new PatchError(`patch "${patch.name}": ${error.message}`);
    throw error;
  }
};

/** The templates after all patches, in the same order. Throws PatchError. */
export type PatchTemplates = (items: readonly Item[], patches: readonly Patch[]) => KubeObject[];

/** None of the patches is by extensions. */
export const patchedTemplates: PatchTemplates = (items, patches) =>
  patches.reduce<readonly Item[]>(patchedItems, items).map(({ object }) => object);
