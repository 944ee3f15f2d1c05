/** Defects of the store, and of what is done to each object that is written. */
import type { Mutant } from '../mutant.ts';

const store: Mutant[] = [
  {
    name: 'a change is written whatever happened since the read',
    file: 'machinery/store/write.ts',
    find: "return { attribute: 'rv', is: '=', value: item.rv as number };",
    replace: 'return { exists: true };',
    suites: ['test/contract/store', 'test/model/store'],
  },
  {
    name: 'a list shows what was deleted',
    file: 'machinery/store/replay.ts',
    find: '.filter(([, item]) => !isOver(item, now))',
    replace: '.filter(([, item]) => item)',
    suites: ['test/contract/store'],
  },
  {
    name: 'a list believes the query where the log knows better',
    file: 'machinery/store/replay.ts',
    find: 'if (!known || versionOf(known) < versionOf(slot))',
    replace: 'if (!known)',
    suites: ['test/contract/store', 'test/model/store'],
  },
  {
    name: 'a watch leaves deletions out',
    file: 'machinery/store/watch.ts',
    find: 'if (isSeal(slot)) continue;',
    replace: "if (isSeal(slot) || slot.event === 'DELETED') continue;",
    suites: ['test/contract/store'],
  },
  {
    name: 'a seal replaces what a writer was just in time to put there',
    file: 'machinery/store/slot.ts',
    find: 'write({ put: item, when: { exists: false } })',
    replace: 'write({ put: item })',
    suites: ['test/contract/store', 'test/model/store'],
  },
  {
    name: 'a write of which nobody knows whether it happened is said to have happened',
    file: 'machinery/store/send.ts',
    find: 'return decided(afterUnknown);',
    replace: "return 'done';",
    suites: ['test/contract/store', 'test/model/store'],
  },
];

const objects: Mutant[] = [
  {
    name: 'a creation replaces what is there',
    file: 'machinery/api/lifecycle.ts',
    find: 'if (current) throw alreadyExists(kind, object.metadata.name);',
    replace: '',
    suites: ['machinery/api/lifecycle'],
  },
  {
    name: 'an update of an old state is taken',
    file: 'machinery/api/lifecycle.ts',
    find: 'if (resourceVersion && resourceVersion !== current.metadata.resourceVersion) throw conflict(kind, name);',
    replace: '',
    suites: ['machinery/api/lifecycle'],
  },
  {
    name: 'a deletion meant for a predecessor of the same name is carried out',
    file: 'machinery/api/lifecycle.ts',
    find: 'if (uid !== metadata.uid) {',
    replace: "if (uid === '') {",
    suites: ['machinery/api/lifecycle'],
  },
  {
    name: 'an object is gone with the first change after its deletion, whoever still holds it',
    file: 'machinery/api/lifecycle.ts',
    find: 'object.metadata.deletionTimestamp !== undefined && !held(kind, object);',
    replace: 'object.metadata.deletionTimestamp !== undefined;',
    suites: ['machinery/api/lifecycle'],
  },
  {
    name: 'what is going can be held back by new finalizers',
    file: 'machinery/api/lifecycle.ts',
    find: 'if (!current.metadata.deletionTimestamp) return [];',
    replace: 'if (current) return [];',
    suites: ['machinery/api/lifecycle'],
  },
  {
    name: 'clients write the annotations that are reserved for controllers',
    file: 'machinery/api/lifecycle.ts',
    find: 'if (byController || differ.length === 0) return object;',
    replace: 'if (!byController || differ.length === 0) return object;',
    suites: ['machinery/api/lifecycle', 'test/server'],
  },
  {
    name: 'a change of the spec keeps the generation',
    file: 'machinery/api/lifecycle.ts',
    find: 'counts ? withMeta(admitted, { generation: generation + 1 }) : admitted',
    replace: 'counts ? withMeta(admitted, { generation }) : admitted',
    suites: ['machinery/api/lifecycle'],
  },
];

const collection: Mutant[] = [
  {
    name: 'a namesake of an owner counts as the owner',
    file: 'machinery/gc/owners.ts',
    find: 'if (owner?.metadata.uid !== reference.uid)',
    replace: 'if (!owner)',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'what has an owner of a kind that nobody knows is collected',
    file: 'machinery/gc/owners.ts',
    find: "if (!kind) return 'unknown'",
    replace: "if (!kind) return 'absent'",
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'owners are seen gone only once',
    file: 'machinery/gc/collector.ts',
    find: 'const again = await statesOf(object);',
    replace: 'const again = states;',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'what got another owner since it was looked at is collected',
    file: 'machinery/gc/collector.ts',
    find: '{ uid: uid!, resourceVersion: resourceVersion! }',
    replace: '{ uid: uid! }',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'what refuses to be deleted is collected',
    file: 'machinery/gc/collector.ts',
    find: 'if (refusalToDelete(kinds.ofType(type)!, object)) return;',
    replace: '',
    suites: ['machinery/gc/protection'],
  },
  {
    name: 'an owner deleted in the foreground goes before its dependents',
    file: 'machinery/gc/collector.ts',
    find: 'if (!owned.some(blocks)) await update',
    replace: 'await update',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'what one of several owners still needs is collected',
    file: 'machinery/gc/collector.ts',
    find: "if (states.some(([, state]) => state === 'present' || state === 'unknown'))\n      return dropReferences",
    replace:
      "if (states.every(([, state]) => state === 'present' || state === 'unknown'))\n      return dropReferences",
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'a namespace goes before what it holds',
    file: 'machinery/gc/namespace.ts',
    find: "if (left.some(({ objects }) => objects.length > 0)) return { ended: 'finished', due: clock.now() + patience };",
    replace: '',
    suites: ['machinery/gc/collector'],
  },
  {
    name: 'what Clusters need to be deleted goes with them',
    file: 'machinery/gc/namespace.ts',
    find: 'if ((await contentOf(name, stage)).some(({ objects }) => objects.length > 0)) break;',
    replace: '',
    suites: ['machinery/gc/collector'],
  },
];

export const storeMutants: readonly Mutant[] = [...store, ...objects, ...collection];
