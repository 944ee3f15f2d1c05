/** An unmanaged security group in the network of a cluster blocks its deletion for a while. */
import { sleep } from '../../../../machinery/ports.ts';
import type { ScenarioContext } from '../context.ts';

const region = 'eu-central-1';
const minute = 60_000;
/** The tag that holds the group's name. */
export const mark = 'example.com/group';

/** Creates a group and returns its name; undefined when the call fails. */
export const openGroup = async (
  { draw, world: { account } }: ScenarioContext,
  VpcId: string,
): Promise<string | undefined> => {
  const GroupName = `unmanaged-${draw.whole(1, 1_000_000)}`;
  const TagSpecifications = [{ ResourceType: 'security-group', Tags: [{ Key: mark, Value: GroupName }] }];
  const input = { VpcId, GroupName, Description: 'unmanaged', TagSpecifications };
  return account.uncounted(region, 'CreateSecurityGroup', input).then(
    () => GroupName,
    () => undefined,
  );
};

export const idOfGroup = ({ world: { account } }: ScenarioContext, name: string): string | undefined =>
  account.list().find(({ type, tags }) => type === 'security-group' && tags[mark] === name)?.id;

/** Deletes the group when it is no longer in use, even long after the scenario. */
export const closeGroup = (context: ScenarioContext, name: string): void => {
  const { clock, world } = context;
  const close = async () => {
    for (;;) {
      const GroupId = idOfGroup(context, name);
      if (!GroupId) return;
      await world.account.uncounted(region, 'DeleteSecurityGroup', { GroupId }).catch(() => {});
      await sleep(clock, minute);
    }
  };
  void close();
};
