import { type Cloud, homeRegion } from '../../kinds/ports/cloud/index.ts';
import type { InstallationEffects, InstallationReads } from '../../kinds/ports/installation.ts';
import type { ObjectKey } from '../../machinery/api/object.ts';
import type { Port } from '../../machinery/controller/index.ts';
import { isolatedOrThrow } from '../../machinery/isolated.ts';
import type { Log } from '../../machinery/ports.ts';
import { surveyed } from '../cloud/survey.ts';
import { taggedResources } from '../cloud/tagged.ts';
import type { Position } from './position.ts';

/** A region without endpoints contains nothing; DescribeRegions tells whether it exists. */
const isNowhere = async (cloud: Cloud, region: string): Promise<boolean> => {
  try {
    const { Regions } = await cloud.call(homeRegion(region), 'DescribeRegions', { AllRegions: true });
    return !Regions.some(({ RegionName }) => RegionName === region);
  } catch {
    return false;
  }
};

/** The Installation port, for the Installation's controller. */
export const installationPort = ({
  position,
  cloud,
  wake,
  log,
}: {
  position: Position;
  cloud: Cloud;
  /** Requeues an object of a controller's kind. */
  wake: (controller: string, key: ObjectKey) => Promise<void>;
  log: Log;
}): Required<Port> => ({
  read: async (operation, input) => {
    switch (operation as keyof InstallationReads) {
      case 'State':
        return position.check();
      case 'Resources': {
        const { region, tags } = input as InstallationReads['Resources'][0];
        try {
          return { resources: await taggedResources(cloud, region, tags) };
        } catch (error) {
          // A region that never existed would otherwise keep an installation awake for ever.
          if (await isNowhere(cloud, region)) return { resources: [] };
          throw error;
        }
      }
      case 'Survey': {
        const { region, tags, of } = input as InstallationReads['Survey'][0];
        return surveyed(cloud, region, tags, of);
      }
      default:
        throw new Error(`an installation cannot answer ${operation}`);
    }
  },
  call: async (operation, input) => {
    switch (operation as keyof InstallationEffects) {
      case 'Thaw':
        return position.thaw((input as InstallationEffects['Thaw']).id);
      case 'Report': {
        const { total, orphans } = input as InstallationEffects['Report'];
        return log.info('Orphans changed', { total, orphans });
      }
      case 'Wake': {
        const { controller, objects } = input as InstallationEffects['Wake'];
        return isolatedOrThrow(objects, (key) => wake(controller, key));
      }
      default:
        throw new Error(`an installation cannot do ${operation}`);
    }
  },
});
