import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../machinery/server/index.ts';
import { type AuditOptions, isSelected, printAudit } from './audit.ts';

const now = Date.UTC(2026, 10, 30, 12);
const event = (verb: string, resource: string, name: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  kind: 'Event',
  apiVersion: 'audit.k8s.io/v1',
  level: 'Metadata',
  auditID: 'a',
  stage: 'ResponseComplete',
  requestURI: `/x/${resource}/${name}`,
  verb,
  user: { username: 'arn:aws:iam::1:role/Dev', groups: [], extra: { sessionName: ['ann'] } },
  objectRef: { resource, name, namespace: 'default' },
  userAgent: 'kubectl/v1.33 (linux)',
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: '2026-11-30T11:30:00.000000Z',
  stageTimestamp: '2026-11-30T11:30:00.000000Z',
  annotations: {},
  ...more,
});
const deleted = event('delete', 'clusters', 'prod');

describe('an event is shown', () => {
  it.each<{ rule: string; of: AuditEvent; by: Partial<AuditOptions>; shown: boolean }>([
    { rule: 'if it changes something', of: deleted, by: {}, shown: true },
    { rule: 'not if it reads', of: event('list', 'clusters', ''), by: {}, shown: false },
    { rule: 'if its verb is asked for', of: event('list', 'clusters', ''), by: { verb: 'get,list' }, shown: true },
    { rule: 'if every verb is', of: event('watch', 'clusters', ''), by: { verb: 'all' }, shown: true },
    { rule: 'by its kind', of: deleted, by: { object: 'cluster' }, shown: true },
    { rule: 'by its kind as the API has it', of: deleted, by: { object: 'Clusters/prod' }, shown: true },
    { rule: 'not for another name', of: deleted, by: { object: 'cluster/test' }, shown: false },
    { rule: 'not for another kind', of: deleted, by: { object: 'machine' }, shown: false },
    { rule: 'by a part of its user', of: deleted, by: { user: 'role/Dev' }, shown: true },
    { rule: 'by its session', of: deleted, by: { user: 'ann' }, shown: true },
    { rule: 'not for another user', of: deleted, by: { user: 'bob' }, shown: false },
    { rule: 'not for another namespace', of: deleted, by: { namespace: 'team' }, shown: false },
    {
      rule: 'by whom it acts as',
      of: { ...deleted, impersonatedUser: { username: 'eve', groups: [] } },
      by: { user: 'eve' },
      shown: true,
    },
  ])('$rule', ({ of, by, shown }) => expect(isSelected(of, by)).toBe(shown));
});

describe('on a laptop', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'capstan-audit-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  const printed = async (options: Partial<AuditOptions> = {}): Promise<string> => {
    let text = '';
    const print = (line: string) => {
      text += line;
    };
    await printAudit({}, join(directory, 'kubeconfig'), { since: 60, ...options }, { now, print });
    return text;
  };
  const lines = (...events: AuditEvent[]) => events.map((one) => `${JSON.stringify(one)}\n`).join('');

  it('shows both files in order, without what is older or was cut off', async () => {
    const old = { ...deleted, requestReceivedTimestamp: '2026-11-30T10:30:00.000000Z' };
    const later = event('patch', 'clusters', 'prod', { requestReceivedTimestamp: '2026-11-30T11:40:00.000000Z' });
    writeFileSync(join(directory, 'audit.log.1'), lines(old, deleted));
    writeFileSync(join(directory, 'audit.log'), `${lines(later)}{"kind":"Ev`);
    expect((await printed()).split('\n')).toEqual([
      expect.stringMatching(/^TIME +USER +VERB +NAMESPACE +OBJECT +CODE +CLIENT$/),
      '2026-11-30T11:30:00Z   arn:aws:iam::1:role/Dev (ann)   delete   default     clusters prod   200    kubectl/v1.33',
      '2026-11-30T11:40:00Z   arn:aws:iam::1:role/Dev (ann)   patch    default     clusters prod   200    kubectl/v1.33',
    ]);
    expect(JSON.parse(await printed({ output: 'json' })).items).toHaveLength(2);
  });

  it('refuses verbs that no request has, and names those there are', async () => {
    await expect(printed({ verb: 'delete,remove' })).rejects.toThrow(/^--verb knows no remove: name get, list, .*all/);
  });

  it('says where it looked when there is none', async () => {
    await expect(printed()).rejects.toThrow(`there is no audit log at ${directory}/audit.log`);
  });
});
