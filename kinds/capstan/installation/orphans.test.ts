import { expect, it } from 'vitest';
import { machineUidTag } from '../../infrastructure-aws/aws-machine/request.ts';
import { clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import { findOrphans, type Sweep } from './orphans.ts';

const now = Date.UTC(2026, 0, 1, 12);
const ago = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace('.000', '');

const resource = (id: string, clusterUid?: string, machineUid?: string): TaggedResource => ({
  type: 'instance',
  id,
  tags: {
    Name: `name-${id}`,
    ...(clusterUid !== undefined && { [clusterUidTag]: clusterUid }),
    ...(machineUid !== undefined && { [machineUidTag]: machineUid }),
  },
});
const sweep = (part: Partial<Sweep>): Sweep => ({
  regions: [],
  before: { missing: [], orphans: [] },
  isPartial: false,
  known: { clusters: new Set(['cluster']), machines: new Set(['machine']) },
  now,
  grace: 300_000,
  ...part,
});
const here = (...resources: TaggedResource[]) => [{ region: 'here', resources }];
const orphan = { type: 'instance', id: 'i-1', region: 'here', clusterUid: 'gone', name: 'name-i-1' };

const cases: { rule: string; given: Partial<Sweep>; missing: [string, string][]; orphans: string[] }[] = [
  {
    rule: 'a resource of an existing cluster and machine is no orphan',
    given: { regions: here(resource('i-1', 'cluster', 'machine'), resource('vpc-1', 'cluster')) },
    missing: [],
    orphans: [],
  },
  {
    rule: 'a missing owner is recorded before its resources are reported',
    given: { regions: here(resource('i-1', 'gone')) },
    missing: [['gone', ago(0)]],
    orphans: [],
  },
  {
    rule: 'a second search right after the first changes nothing',
    given: {
      regions: here(resource('i-1', 'gone')),
      before: { missing: [{ uid: 'gone', since: ago(1) }], orphans: [] },
    },
    missing: [['gone', ago(1)]],
    orphans: [],
  },
  {
    rule: 'all resources of an owner that is missing for minutes are orphans, including newly found ones',
    given: {
      regions: here(resource('i-2', 'gone', 'machine'), resource('i-1', 'gone')),
      before: { missing: [{ uid: 'gone', since: ago(10) }], orphans: [] },
    },
    missing: [['gone', ago(10)]],
    orphans: ['i-1', 'i-2'],
  },
  {
    rule: 'a missing machine of an existing cluster is recorded individually',
    given: {
      regions: here(resource('i-1', 'cluster', 'machine'), resource('i-2', 'cluster', 'lost')),
      before: { missing: [{ uid: 'lost', since: ago(10) }], orphans: [] },
    },
    missing: [['lost', ago(10)]],
    orphans: ['i-2'],
  },
  {
    rule: 'an owner that returns is no longer missing',
    given: {
      regions: here(resource('i-1', 'cluster')),
      before: { missing: [{ uid: 'cluster', since: ago(10) }], orphans: [{ ...orphan, clusterUid: 'cluster' }] },
    },
    missing: [],
    orphans: [],
  },
  {
    rule: 'a deleted resource is no longer an orphan',
    given: { regions: here(), before: { missing: [{ uid: 'gone', since: ago(10) }], orphans: [orphan] } },
    missing: [],
    orphans: [],
  },
  {
    rule: 'a resource without a cluster is an orphan',
    given: { regions: here(resource('i-1')), before: { missing: [{ uid: '', since: ago(10) }], orphans: [] } },
    missing: [['', ago(10)]],
    orphans: ['i-1'],
  },
  {
    rule: 'the last result of an unreadable region persists',
    given: { isPartial: true, before: { missing: [{ uid: 'gone', since: ago(10) }], orphans: [orphan] } },
    missing: [['gone', ago(10)]],
    orphans: ['i-1'],
  },
  {
    rule: 'the last result of an unreadable region ends when its owner returns',
    given: {
      isPartial: true,
      known: { clusters: new Set(['gone']), machines: new Set() },
      before: { missing: [{ uid: 'gone', since: ago(10) }], orphans: [orphan] },
    },
    missing: [],
    orphans: [],
  },
];

it.each(cases)('$rule', ({ given, missing, orphans }) => {
  const found = findOrphans(sweep(given));
  expect(found.missing.map(({ uid, since }) => [uid, since])).toEqual(missing);
  expect(found.orphans.map(({ id }) => id)).toEqual(orphans);
});

it('names the missing machine when its cluster exists', () => {
  const missing = ['gone', 'lost'].map((uid) => ({ uid, since: ago(10) }));
  const resources = [resource('i-1', 'gone', 'lost'), resource('i-2', 'cluster', 'lost')];
  expect(findOrphans(sweep({ regions: here(...resources), before: { missing, orphans: [] } })).orphans).toEqual([
    orphan,
    { type: 'instance', id: 'i-2', region: 'here', clusterUid: 'cluster', machineUid: 'lost', name: 'name-i-2' },
  ]);
});
