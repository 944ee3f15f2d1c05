/**
 * Deletes the objects of a deleted CustomResourceDefinition, then removes its finalizer. A definition
 * that frees names lets others of its group have them.
 */

import { isFalse, isTrue } from '../api/conditions.ts';
import { ApiError } from '../api/errors.ts';
import { isConflict, isNotFound } from '../api/lifecycle.ts';
import { equal } from '../api/merge.ts';
import type { KubeObject } from '../api/object.ts';
import type { Extra } from '../controller/dispatch.ts';
import type { Kinds } from '../controller/kinds.ts';
import type { Runner } from '../controller/runtime.ts';
import type { Outcome, Run } from '../controller/work.ts';
import type { WorkKey } from '../controller/work-item.ts';
import type { ObjectWriter } from '../controller/writer.ts';
import {
  cleanupFinalizer,
  type Definition,
  type DefinitionStatus,
  definitionType,
  kindOfDefinition,
} from '../custom/definition.ts';
import { definitionKind } from '../custom/kind.ts';
import { statusOf, withCondition } from '../custom/names.ts';
import type { Clock, Log } from '../ports.ts';
import type { LogEntry, Store, Unreadable } from '../store/store.ts';

export const definitionControllerName = 'custom-resource-definition';

export interface DefinitionControllerOptions {
  store: Store;
  writer: ObjectWriter;
  clock: Pick<Clock, 'now'>;
  log: Log;
}

const keyFor = (name: string): WorkKey => ({
  controller: definitionControllerName,
  type: definitionType,
  namespace: '',
  name,
});

/** Seconds to defer after a deletion: more usually follow. */
const following = 1;

/** Requeues a definition when it changes, and when an object of it is deleted. */
export const definitionRequests =
  ({ kinds }: { kinds: Pick<Kinds, 'isOwn'> }): Extra =>
  ({ type, event, name, writer }: LogEntry) => {
    const isEcho = writer === definitionControllerName && event !== 'DELETED';
    if (type === definitionType) return isEcho ? [] : [{ key: keyFor(name), urgent: true }];
    // A definition is named as its objects' type.
    if (event === 'DELETED' && !kinds.isOwn(type)) return [{ key: keyFor(type), urgent: true, after: following }];
    return [];
  };

/** The longest time between checks of a deletion that waits for events, in milliseconds. */
const longestWait = 30_000;

const terminating = { type: 'Terminating', status: 'True' } as const;

export const createDefinitionController = (options: DefinitionControllerOptions): Runner => {
  const { store, writer, clock, log } = options;
  const by = { writer: definitionControllerName };
  const keyOf = (name: string) => ({ namespace: '', name });

  const setStatus = async (definition: Definition, status: DefinitionStatus): Promise<Definition> => {
    if (equal(status, definition.status)) return definition;
    const change = () => ({ ...definition, status });
    return (await writer.updateStatus(definitionKind, keyOf(definition.metadata.name), change, by)) as Definition;
  };

  const withTerminating = ({ status }: Definition, reason: string, message: string): DefinitionStatus => ({
    ...status,
    conditions: withCondition(status?.conditions, { ...terminating, reason, message }, clock.now()),
  });

  /** Returns the messages of failed deletions. */
  const deleteObjects = async (definition: Definition, objects: readonly KubeObject[]): Promise<string[]> => {
    const kind = kindOfDefinition(definition);
    const errors: string[] = [];
    for (const { metadata } of objects) {
      if (metadata.deletionTimestamp) continue;
      const { namespace = '', name, uid } = metadata;
      try {
        const preconditions = { uid: uid! };
        await writer.remove(kind, { namespace, name }, { ...by, propagationPolicy: 'Background', preconditions });
      } catch (error) {
        if (isNotFound(error) || isConflict(error)) continue;
        if (!(error instanceof ApiError)) throw error;
        errors.push(error.message);
      }
    }
    return errors;
  };

  const finish = async (definition: Definition): Promise<Outcome> => {
    const { finalizers = [], ...metadata } = definition.metadata;
    const left = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
    const next = { ...definition, metadata: { ...metadata, finalizers: left } };
    await writer.update(definitionKind, keyOf(metadata.name), () => next, by);
    log.info('Deleted the objects of a definition', { CustomResourceDefinition: metadata.name });
    return { ended: 'gone' };
  };

  const cleanUp = async (definition: Definition): Promise<Outcome> => {
    const { name } = definition.metadata;
    if (!isTrue(definition.status?.conditions, 'Established')) return finish(definition);
    const read = async () => {
      const unreadable: Unreadable[] = [];
      const { objects } = await store.list(name, { skip: (one) => unreadable.push(one) });
      return { objects, count: objects.length + unreadable.length };
    };
    const errors = await deleteObjects(definition, (await read()).objects);
    const { count } = await read();
    if (errors.length === 0 && count === 0) return finish(definition);
    const status =
      errors.length > 0
        ? withTerminating(definition, 'InstanceDeletionFailed', `could not issue all deletes: ${errors.join(', ')}`)
        : withTerminating(definition, 'InstanceDeletionInProgress', 'CustomResource deletion is in progress');
    await setStatus(definition, status);
    return { ended: 'finished', due: clock.now() + longestWait };
  };

  /** Gives free names to the definitions of the group that wait for them. */
  const acceptNames = async (name: string): Promise<void> => {
    const group = name.slice(name.indexOf('.') + 1);
    const { objects } = await store.list(definitionType, { skip: () => {} });
    const definitions = (objects as Definition[]).filter(({ spec }) => spec?.group === group);
    for (const [i, one] of definitions.entries())
      if (isFalse(one.status?.conditions, 'NamesAccepted'))
        definitions[i] = await setStatus(one, statusOf(one, definitions, clock.now()));
  };

  const run: Run = async ({ name }) => {
    const definition = (await store.get(definitionType, keyOf(name))) as Definition | undefined;
    const { deletionTimestamp, finalizers = [] } = definition?.metadata ?? {};
    if (definition && deletionTimestamp && finalizers.includes(cleanupFinalizer)) return cleanUp(definition);
    await acceptNames(name);
    return { ended: 'gone' };
  };

  return {
    run,
    types: () => [definitionType],
    resync: async () => {
      const unreadable: Unreadable[] = [];
      const { objects } = await store.list(definitionType, { skip: (one) => unreadable.push(one) });
      const deleted = objects.filter(({ metadata }) => metadata.deletionTimestamp);
      return { requests: deleted.map(({ metadata }) => ({ key: keyFor(metadata.name), urgent: false })), unreadable };
    },
  };
};
