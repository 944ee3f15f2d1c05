import { expect, it } from 'vitest';
import { type Cloud, CloudError } from '../kinds/ports/cloud/index.ts';
import type { Mark } from '../kinds/ports/installation.ts';
import { positionOf } from '../runtime/position.ts';
import { createWorld } from './world.fixture.ts';

const own = 'eu-central-1';
const resource = { ResourceARN: 'arn:aws:ec2:eu-west-1:111122223333:vpc/vpc-1', Tags: [] };
type Answer = 'empty' | 'holds' | CloudError;
const denied = new CloudError('AccessDeniedException', 'an explicit deny in a service control policy');
const throttled = new CloudError('ThrottlingException', 'too often');

/** A position without objects or mark, in an account whose regions give these answers. */
const open = (regions: Record<string, Answer>) => {
  let mark: Mark | undefined;
  const cloud = {
    call: async (region: string, action: string) => {
      if (action === 'DescribeRegions')
        return { Regions: Object.keys(regions).map((RegionName) => ({ RegionName, OptInStatus: 'opted-in' })) };
      const answer = regions[region]!;
      if (answer instanceof CloudError) throw answer;
      return { ResourceTagMappingList: answer === 'holds' ? [resource] : [] };
    },
  } as unknown as Cloud;
  const marker = {
    read: async () => mark,
    furthest: async () => mark,
    write: async (next: Mark) => {
      mark = next;
    },
  };
  const position = positionOf(createWorld().foundation, { marker, account: { cloud, region: own } });
  return { position, mark: () => mark };
};

it.each<{ rule: string; regions: Record<string, Answer>; held: string[] | undefined }>([
  { rule: 'every region is empty', regions: { [own]: 'empty', 'eu-west-1': 'empty' }, held: undefined },
  { rule: 'another region has resources', regions: { [own]: 'empty', 'eu-west-1': 'holds' }, held: ['eu-west-1'] },
  { rule: 'a region denies access', regions: { [own]: 'holds', 'us-east-1': denied }, held: [own] },
  { rule: 'the readable regions are empty', regions: { [own]: 'empty', 'us-east-1': denied }, held: undefined },
] satisfies {
  rule: string;
  regions: Record<string, Answer>;
  held: string[] | undefined;
}[])('freezes without objects and mark only where the account has resources: $rule', async ({ regions, held }) => {
  const { position, mark } = open(regions);
  expect((await position.check()).freeze?.reason).toBe(held && 'ObjectsLost');
  expect(mark()?.regions).toEqual(held);
});

it.each<{ rule: string; regions: Record<string, Answer> }>([
  { rule: 'its own region denies access', regions: { [own]: denied, 'eu-west-1': 'empty' } },
  { rule: 'another region throttles', regions: { [own]: 'empty', 'eu-west-1': throttled } },
])('concludes nothing when $rule', async ({ regions }) => {
  const { position, mark } = open(regions);
  await expect(position.check()).rejects.toThrow(CloudError);
  expect([position.freeze, mark()]).toEqual([undefined, undefined]);
});
