import { expect, it } from 'vitest';
import { type Given, inTemplate, judged } from './preflight.fixture.ts';

const tags = (count: number, of: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${of}/${i}`, 'a']));
const cluster = (count: number, network = {}) => ({ spec: { additionalTags: tags(count, 'cluster'), network } });
const workers = (count: number, of = 'workers') => inTemplate({ additionalTags: tags(count, of) });
const because = (count: number) =>
  `${count} tags, with those of the cluster, and 8 that controllers need are more than the 50 that AWS allows on a resource: leave out ${count - 42}`;

it.each<Given & { rule: string; says?: string }>([
  { rule: 'of the cluster may be 42', changed: { awsCluster: cluster(42) } },
  {
    rule: 'of the cluster must not be 43',
    changed: { awsCluster: cluster(43), workersTemplate: workers(20) },
    says: `AWSCluster default/demo spec.additionalTags: ${because(43)}`,
  },
  {
    rule: 'of machines add to those of the cluster',
    changed: { awsCluster: cluster(22), workersTemplate: workers(21) },
    says: `AWSMachineTemplate default/workers spec.template.spec.additionalTags: ${because(43)}`,
  },
  {
    rule: 'of machines that the cluster has count once',
    changed: { awsCluster: cluster(42), workersTemplate: workers(42, 'cluster') },
  },
  {
    rule: 'that users must not set do not count',
    changed: { awsCluster: { spec: { additionalTags: { ...tags(42, 'cluster'), Name: 'n', 'capstan.dev/x': 'y' } } } },
  },
  {
    rule: 'of the VPC add to those of the cluster',
    changed: { awsCluster: cluster(40, { vpc: { tags: tags(3, 'vpc') } }) },
    says: `AWSCluster default/demo spec.network.vpc.tags: ${because(43)}`,
  },
  {
    rule: 'of a subnet add to those of the cluster',
    changed: {
      awsCluster: cluster(40, {
        subnets: [
          { id: 'a', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.0.0/24', isPublic: true },
          { id: 'b', availabilityZone: 'eu-west-1a', cidrBlock: '10.0.1.0/24', tags: tags(3, 'subnet') },
        ],
      }),
    },
    says: `AWSCluster default/demo spec.network.subnets[1].tags: ${because(43)}`,
  },
])('tags $rule', ({ says, rule: _, ...given }) => {
  const { findings = [], ...rest } = judged(given);
  expect(rest).toEqual({ verdict: says ? 'refused' : 'passed', message: says ?? '' });
  expect(new Set(findings.map(({ code }) => code))).toEqual(new Set(says ? ['TagsRefused'] : []));
});
