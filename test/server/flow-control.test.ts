/** FlowSchemas and PriorityLevelConfigurations, which are stored without effect. */
import { beforeAll, describe, expect, it } from 'vitest';
import { flowSchema } from '../../kinds/kubernetes/flow-schema/index.ts';
import { namespace } from '../../kinds/kubernetes/namespace/index.ts';
import { priorityLevelConfiguration } from '../../kinds/kubernetes/priority-level-configuration/index.ts';
import { type Client, clientOf } from './client.ts';
import { createTestServer } from './world.ts';

const path = '/apis/flowcontrol.apiserver.k8s.io/v1';
const schemas = `${path}/flowschemas`;
const levels = `${path}/prioritylevelconfigurations`;

let client: Client;
beforeAll(async () => {
  client = clientOf(
    (await createTestServer(undefined, { kinds: [namespace, flowSchema, priorityLevelConfiguration] })).server,
  );
});

const rule = {
  subjects: [{ kind: 'User', user: { name: 'ann' } }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const schemaOf = (name: string, spec: object = {}) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'FlowSchema',
  metadata: { name },
  spec: { priorityLevelConfiguration: { name: 'usual' }, rules: [rule], ...spec },
});
const levelOf = (name: string, spec: object) => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec,
});
const limited = (response: object, more: object = {}) => ({
  type: 'Limited',
  limited: { limitResponse: response, ...more },
});

const notEnforced = expect.objectContaining({ type: 'Enforced', status: 'False', reason: 'NotSupported' });

describe('flow control has no effect', () => {
  it.each([
    { kind: 'FlowSchema', at: schemas, object: schemaOf('plain') },
    { kind: 'PriorityLevelConfiguration', at: levels, object: levelOf('plain', limited({ type: 'Reject' })) },
  ])('which a $kind says in its status and a warning', async ({ at, object }) => {
    const { status, body, headers } = await client.post(at, object);
    expect(status).toBe(201);
    expect(headers.get('warning')).toContain('stored without effect');
    expect(body.status).toEqual({ conditions: [notEnforced] });
    const { body: changed } = await client.patch(`${at}/plain/status`, 'merge', {
      status: { conditions: [{ type: 'Dangling', status: 'False' }] },
    });
    expect(changed.status).toEqual({ conditions: [{ type: 'Dangling', status: 'False' }, notEnforced] });
    expect(changed.metadata.generation).toBe(1);
  });
});

describe('defaults', () => {
  it('of a FlowSchema are its precedence', async () => {
    const { body } = await client.post(schemas, schemaOf('usual'));
    expect(body.spec).toMatchObject({ matchingPrecedence: 1000 });
  });
  it('of a level are its shares and queues', async () => {
    const { body } = await client.post(levels, levelOf('queues', limited({ type: 'Queue', queuing: { queues: 0 } })));
    expect(body.spec).toEqual(
      limited(
        { type: 'Queue', queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        { nominalConcurrencyShares: 30, lendablePercent: 0 },
      ),
    );
  });
});

const ofRule = (change: object) => ({ rules: [{ ...rule, ...change }] });
const ofSubject = (subject: object) => ofRule({ subjects: [subject] });
const ofResources = (change: object) =>
  ofRule({
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], namespaces: ['a'], ...change }],
  });
const ofUrls = (...nonResourceURLs: string[]) => ofRule({ nonResourceRules: [{ verbs: ['get'], nonResourceURLs }] });

describe('a FlowSchema is refused', () => {
  it.each([
    [{ matchingPrecedence: -1 }, 'spec.matchingPrecedence: Invalid value: -1: must be a positive value'],
    [{ matchingPrecedence: 10001 }, 'must not be greater than 10000'],
    [{ matchingPrecedence: 1 }, "only the schema named 'exempt' may have matchingPrecedence 1"],
    [{ distinguisherMethod: { type: 'ByAge' } }, 'supported values: "ByNamespace", "ByUser"'],
    [{ priorityLevelConfiguration: { name: '' } }, 'Required value: must reference a priority level'],
    [{ priorityLevelConfiguration: { name: 'A' } }, 'spec.priorityLevelConfiguration.name: Invalid value: "A"'],
    [ofRule({ subjects: [] }), 'subjects must contain at least one value'],
    [ofRule({ nonResourceRules: [] }), 'at least one of resourceRules and nonResourceRules has to be non-empty'],
    [ofSubject({ kind: 'Robot' }), 'supported values: "Group", "ServiceAccount", "User"'],
    [ofSubject({ kind: 'Group' }), "group is required when subject kind is 'Group'"],
    [ofSubject({ kind: 'Group', group: { name: '' } }), 'spec.rules[0].subjects[0].group.name: Required value'],
    [
      ofSubject({ kind: 'Group', group: { name: 'a' }, user: { name: 'b' } }),
      "user is forbidden when subject kind is not 'User'",
    ],
    [
      ofSubject({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: '' } }),
      'must specify namespace for service account',
    ],
    [ofResources({ verbs: ['get', '*'] }), "if '*' is present, must not specify other verbs"],
    [ofResources({ verbs: ['eat'] }), 'Unsupported value: ["eat"]'],
    [ofResources({ apiGroups: [] }), 'resource rules must supply at least one api group'],
    [ofResources({ resources: ['*', 'a'] }), "if '*' is present, must not specify other resources"],
    [ofResources({ namespaces: [] }), 'that are not cluster scoped must supply at least one namespace'],
    [ofResources({ namespaces: ['A'] }), "each member of this list must be '*' or a DNS-1123 label; "],
    [ofUrls(), 'nonResourceURLs must contain at least one value'],
    [ofUrls('metrics'), 'must start with slash'],
    [ofUrls('/a*'), 'wildcard can only do suffix matching'],
    [ofUrls('/a//b'), 'must not contain double slash'],
  ])('with %j', async (spec, why) => {
    const { status, body } = await client.post(schemas, schemaOf('refused', spec));
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });
});

describe('a PriorityLevelConfiguration is refused', () => {
  it.each([
    [{ type: 'Exempt' }, "must be 'Exempt' if and only if `name` is 'exempt'"],
    [{ type: 'Many' }, 'supported values: "Exempt", "Limited"'],
    [{ type: 'Limited' }, 'must not be empty when type is Limited'],
    [{ ...limited({ type: 'Reject' }), exempt: {} }, 'must be nil if the type is Limited'],
    [limited({ type: 'Wait' }), 'supported values: "Queue", "Reject"'],
    [limited({ type: 'Queue' }), 'must not be empty if limited.limitResponse.type is Limited'],
    [limited({ type: 'Reject', queuing: {} }), 'must be nil if limited.limitResponse.type is not Limited'],
    [limited({ type: 'Queue', queuing: { handSize: 65 } }), 'should not be greater than queues (64)'],
    [limited({ type: 'Queue', queuing: { queues: 10_000_001 } }), 'must not be greater than 10000000'],
    [limited({ type: 'Queue', queuing: { handSize: 60 } }), 'required entropy bits of deckSize 64 and handSize 60'],
    [limited({ type: 'Queue', queuing: { queueLengthLimit: -1 } }), 'queueLengthLimit: Invalid value: -1'],
    [limited({ type: 'Reject' }, { lendablePercent: 101 }), 'must be between 0 and 100, inclusive'],
    [limited({ type: 'Reject' }, { borrowingLimitPercent: -1 }), 'if specified, must be a non-negative integer'],
  ])('with %j', async (spec, why) => {
    const { status, body } = await client.post(levels, levelOf('refused', spec));
    expect(status).toBe(422);
    expect(body.message).toContain(why);
  });
  it('with two conditions of a type', async () => {
    await client.post(levels, levelOf('twice', limited({ type: 'Reject' })));
    const conditions = ['a', 'b'].map((reason) => ({ type: 'Dangling', status: 'True', reason }));
    const { status } = await client.patch(`${levels}/twice/status`, 'merge', { status: { conditions } });
    expect(status).toBe(422);
  });
});

it('the level named exempt has no limit', async () => {
  const { status, body } = await client.post(levels, levelOf('exempt', { type: 'Exempt', exempt: {} }));
  expect(status).toBe(201);
  expect(body.spec).toEqual({ type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } });
});
