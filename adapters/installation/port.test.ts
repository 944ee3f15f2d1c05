import { describe, expect, it } from 'vitest';
import type { Cloud } from '../../kinds/ports/cloud/index.ts';
import type { Log } from '../../machinery/ports.ts';
import { installationPort } from './port.ts';
import type { Position } from './position.ts';

const lost = new Error('getaddrinfo ENOTFOUND');
/** An account with these regions; only the first region can be read. */
const accountOf = (regions: readonly string[] | undefined): Cloud =>
  ({
    call: async (region: string, action: string) => {
      if (action === 'GetResources' && region === regions?.[0]) return { ResourceTagMappingList: [] };
      if (action === 'DescribeRegions' && regions) return { Regions: regions.map((RegionName) => ({ RegionName })) };
      throw lost;
    },
  }) as unknown as Cloud;
const portOf = (cloud: Cloud, woken: string[] = []) =>
  installationPort({
    position: {} as Position,
    cloud,
    wake: async (controller, { namespace, name }) => {
      woken.push(`${controller} ${namespace}/${name}`);
    },
    log: {} as Log,
  });

describe('the search of a region', () => {
  const regions = ['eu-west-1', 'eu-west-2'];
  it.each([
    {
      rule: 'returns the resources of a region that it can read',
      regions,
      region: 'eu-west-1',
      answer: { resources: [] },
    },
    { rule: 'fails for a region that it cannot read', regions, region: 'eu-west-2', answer: lost },
    {
      rule: 'finds nothing in a region that does not exist',
      regions,
      region: 'mars-north-1',
      answer: { resources: [] },
    },
    { rule: 'fails when the regions cannot be listed', regions: undefined, region: 'mars-north-1', answer: lost },
  ])('$rule', async ({ regions: known, region, answer }) =>
    expect(
      await portOf(accountOf(known))
        .read('Resources', { region, tags: {} })
        .catch((e) => e),
    ).toEqual(answer));
});

it('wakes every component that must be woken', async () => {
  const woken: string[] = [];
  const objects = ['a', 'b'].map((name) => ({ namespace: 'default', name }));
  await portOf(accountOf(undefined), woken).call('Wake', { controller: 'aws-machine', objects });
  expect(woken).toEqual(['aws-machine default/a', 'aws-machine default/b']);
});
