import { describe, expect, it } from 'vitest';
import type { Cloud } from '../../kinds/ports/cloud.ts';
import type { Log } from '../../machinery/ports.ts';
import { installationPort } from './port.ts';
import type { Position } from './position.ts';

const lost = new Error('getaddrinfo ENOTFOUND');
/** An account with these regions, of which the first one can be read. */
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

describe('what is in a region', () => {
  const regions = ['eu-west-1', 'eu-west-2'];
  it.each([
    { rule: 'is told where it can be read', regions, region: 'eu-west-1', told: { resources: [] } },
    { rule: 'is not known where that fails', regions, region: 'eu-west-2', told: lost },
    { rule: 'is nothing where there is no such region', regions, region: 'mars-north-1', told: { resources: [] } },
    { rule: 'is not known when nobody lists the regions', regions: undefined, region: 'mars-north-1', told: lost },
  ])('$rule', async ({ regions: known, region, told }) =>
    expect(
      await portOf(accountOf(known))
        .read('Resources', { region, tags: {} })
        .catch((e) => e),
    ).toEqual(told));
});

it('wakes everybody who is to be woken', async () => {
  const woken: string[] = [];
  const objects = ['a', 'b'].map((name) => ({ namespace: 'default', name }));
  await portOf(accountOf(undefined), woken).call('Wake', { controller: 'aws-machine', objects });
  expect(woken).toEqual(['aws-machine default/a', 'aws-machine default/b']);
});
