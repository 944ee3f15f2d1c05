/** Patches by extensions: their requests, and what their answers make of the templates. */
import { ApiError } from '../../../machinery/api/errors.ts';
import { equal, mergePatch } from '../../../machinery/api/merge.ts';
import { isObject, type JsonObject, type JsonValue, type KubeObject } from '../../../machinery/api/object.ts';
import { jsonPatch } from '../../../machinery/api/patch.ts';
import type { TopologyHook } from '../../common/hook-names.ts';
import type { Variables } from './builtins.ts';
import { type Item, kept, type Patch, patchedItems } from './patches.ts';
import { PatchError } from './values.ts';

/** Calls one handler by name. Rejects with what a user may read. */
export type CallNamed = (
  name: string,
  hook: TopologyHook,
  settings: Record<string, string>,
  request: JsonObject,
) => Promise<JsonObject>;

const listOf = (variables: Variables) => Object.entries(variables).map(([name, value]) => ({ name, value }));

/** What is not the same for the whole cluster. */
const ownVariables = (all: Variables, shared: Variables): Variables =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, value]): [string, JsonValue][] => {
      if (equal(value, shared[name])) return [];
      if (name !== 'builtin' || !isObject(value)) return [[name, value]];
      const common = (shared[name] ?? {}) as JsonObject;
      return [[name, Object.fromEntries(Object.entries(value).filter(([key, one]) => !equal(one, common[key])))]];
    }),
  );

/** The first item is of the infrastructure, whose variables are those of the whole cluster. */
const requestOf = (items: readonly Item[], withIds: boolean): JsonObject => {
  const shared = items[0]?.variables ?? {};
  return {
    variables: listOf(shared),
    items: items.map(({ object, holder, variables }, i) => ({
      ...(withIds && { uid: String(i) }),
      holderReference: { ...holder },
      object: object as never,
      variables: listOf(ownVariables(variables, shared)),
    })),
  };
};

const patchIn = (text: JsonValue | undefined): unknown => {
  try {
    return JSON.parse(Buffer.from(String(text), 'base64').toString());
  } catch {
    throw new PatchError('a patch is no JSON in base64');
  }
};

const patchedBy = (object: KubeObject, { patchType, patch }: JsonObject): KubeObject => {
  const parsed = patchIn(patch);
  const label = `${object.kind} ${object.metadata.name}`;
  try {
    if (patchType === 'JSONPatch') return kept(object, jsonPatch(structuredClone(object), parsed) as KubeObject);
    if (patchType === 'JSONMergePatch' && isObject(parsed)) return kept(object, mergePatch(object, parsed));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new PatchError(`a patch of ${label} does not apply: ${error.message}`);
  }
  throw new PatchError(`a patch of ${label} is neither a JSONPatch nor a JSONMergePatch`);
};

/** In the order of the answer; several may be of one template. */
const withAnswer = (items: readonly Item[], { items: patches = [] }: JsonObject): Item[] => {
  if (!Array.isArray(patches) || !patches.every((one) => isObject(one))) throw new PatchError('items is no list');
  const next = [...items];
  for (const patch of patches as JsonObject[]) {
    const item = next[Number(patch.uid)];
    if (!item) throw new PatchError(`no template has the uid ${JSON.stringify(patch.uid ?? '')}`);
    next[Number(patch.uid)] = { ...item, object: patchedBy(item.object, patch) };
  }
  return next;
};

/** What an extension did is reported; what prevented its call is not its fault. */
const failed = (name: string, error: unknown): unknown =>
  error instanceof PatchError || (error as { isExternal?: true }).isExternal
    ? new PatchError(`patch "${name}": ${(error as Error).message}`, { cause: error })
    : error;

/** The templates after all patches, in the same order; each sees what those before it made. Rejects with a PatchError. */
export const patchedByExtensions = async (
  items: readonly Item[],
  patches: readonly Patch[],
  call: CallNamed,
): Promise<KubeObject[]> => {
  let current: readonly Item[] = items;
  for (const patch of patches) {
    if (!patch.external) {
      current = patchedItems(current, patch);
      continue;
    }
    const { generatePatchesExtension, settings = {} } = patch.external;
    if (generatePatchesExtension === undefined) continue;
    try {
      const answer = await call(generatePatchesExtension, 'GeneratePatches', settings, requestOf(current, true));
      current = withAnswer(current, answer);
    } catch (error) {
      throw failed(patch.name, error);
    }
  }
  for (const { name, external } of patches) {
    const { validateTopologyExtension, settings = {} } = external ?? {};
    if (validateTopologyExtension === undefined) continue;
    try {
      await call(validateTopologyExtension, 'ValidateTopology', settings, requestOf(current, false));
    } catch (error) {
      throw failed(name, error);
    }
  }
  return current.map(({ object }) => object);
};
