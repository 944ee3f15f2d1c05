import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Read } from '../../../machinery/api/reconcile.ts';
import { judgePreflight } from './index.ts';
import { factsOf, type Given, inTemplate, type Named, objects } from './preflight.fixture.ts';

const block = fc.constantFrom(
  '10.0.0.0/16',
  '10.0.0.0/8',
  '10.0.0.0/30',
  '192.168.0.0/16',
  'fd00::/48',
  'none',
  '1/2/3',
  '',
);
const name = fc.constantFrom(
  'default',
  'demo',
  'subnet-00000001',
  'subnet-00000009',
  'vpc-1',
  'ami-x86_64',
  't3.large',
  'm7g.large',
  '',
  'é',
);
const version = fc.constantFrom('v1.35.0', '1.35', 'v0.0.0', 'v99.99.99', '', 'latest');
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });

const machine = fc.record({
  instanceType: name,
  ami: optional(fc.record({ id: name })),
  publicIP: optional(fc.boolean()),
  sshKeyName: optional(name),
  iamInstanceProfile: optional(name),
  subnet: optional(
    fc.oneof(fc.record({ id: name }), fc.record({ filters: fc.array(fc.record({ name, values: fc.array(name) })) })),
  ),
  elasticIpPool: optional(fc.constant({})),
  rootVolume: optional(fc.record({ size: fc.nat() })),
});
const network = fc.record({
  vpc: optional(
    fc.record({
      id: optional(name),
      cidrBlock: optional(block),
      secondaryCidrBlocks: optional(fc.array(fc.record({ ipv4CidrBlock: block }))),
      availabilityZoneUsageLimit: optional(fc.nat({ max: 7 })),
      availabilityZoneSelection: optional(fc.constantFrom('Ordered', 'Random')),
      ipamPool: optional(fc.record({ name })),
    }),
  ),
  subnets: optional(
    fc.array(
      fc.record({
        id: name,
        cidrBlock: optional(block),
        availabilityZone: optional(name),
        isPublic: optional(fc.boolean()),
      }),
    ),
  ),
});
const change = fc.record({
  cluster: fc.record({
    spec: fc.record({
      clusterNetwork: optional(
        fc.record({
          pods: optional(fc.record({ cidrBlocks: fc.array(block) })),
          services: optional(fc.record({ cidrBlocks: fc.array(block) })),
        }),
      ),
    }),
  }),
  awsCluster: fc.record({
    spec: fc.record({
      region: optional(name),
      network: optional(network),
      bastion: optional(fc.record({ enabled: fc.boolean(), instanceType: optional(name) })),
      controlPlaneLoadBalancer: optional(
        fc.record({
          loadBalancerType: fc.constantFrom('nlb', 'classic', 'disabled'),
          subnets: optional(fc.array(name)),
        }),
      ),
      sshKeyName: optional(name),
    }),
  }),
  controlPlane: fc.record({ spec: fc.record({ version }) }),
  controlPlaneTemplate: machine.map(inTemplate),
  workers: fc.record({
    spec: fc.record({
      replicas: optional(fc.nat()),
      template: fc.record({ spec: fc.record({ version: optional(version), failureDomain: optional(name) }) }),
    }),
  }),
  workersTemplate: machine.map(inTemplate),
});
const gone: fc.Arbitrary<Named[]> = fc.subarray((Object.keys(objects) as Named[]).filter((one) => one !== 'cluster'));
const states: Read<never>[] = [
  { state: 'unread' },
  { state: 'absent' },
  { state: 'unreadable', reason: 'ThrottlingException: Rate exceeded' },
  { state: 'unreadable', reason: 'AccessDenied: no' },
];

const givens: fc.Arbitrary<Given> = fc
  .record({
    change: fc.option(change),
    gone: fc.oneof({ weight: 3, arbitrary: fc.constant<Named[]>([]) }, { weight: 1, arbitrary: gone }),
    seed: fc.nat(),
    rate: fc.constantFrom(0, 0.1, 0.5, 1),
  })
  .map(({ change: changed, gone: missing, seed, rate }) => ({
    changed: { ...changed, ...Object.fromEntries(missing.map((one) => [one, null])) },
    disturb: (question, answer) => {
      const draw = [...question].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed);
      return (draw % 1000) / 1000 < rate ? states[draw % states.length]! : answer;
    },
  }));

it('returns a verdict for any input, and a message unless it passed', () => {
  const seen = new Set<string>();
  // Random draws rarely miss only this fact.
  const lacksKey: Given = {
    disturb: (question, answer) => (question.includes('DescribeKeyPairs') ? { state: 'absent' } : answer),
  };
  fc.assert(
    fc.property(givens, (given) => {
      const { verdict, message } = judgePreflight(factsOf(given));
      seen.add(verdict);
      expect(message === '').toBe(verdict === 'passed');
    }),
    { numRuns: 400, examples: [[{}], [lacksKey]] },
  );
  expect([...seen].sort()).toEqual(['absent', 'passed', 'pending', 'refused']);
});

it('never refuses because of an unreadable resource', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(0.1, 0.5, 1), (seed, rate) => {
      const unreadable: Read<never> = { state: 'unreadable', reason: 'AccessDenied: no' };
      const disturb: Given['disturb'] = (question, answer) => {
        const draw = [...question].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed);
        return (draw % 1000) / 1000 < rate ? unreadable : answer;
      };
      expect(judgePreflight(factsOf({ disturb })).verdict).toMatch(/^(passed|pending)$/);
    }),
  );
});
