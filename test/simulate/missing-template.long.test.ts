/** An object reports the deletion of a template that it references. */
import { expect, it } from 'vitest';
import type { Condition } from '../../machinery/api/object.ts';
import { play } from './script.ts';

it.each([
  { kind: 'MachineDeployment', name: 'c0-workers', template: 'AWSMachineTemplate' },
  { kind: 'MachineDeployment', name: 'c0-workers', template: 'KubeadmConfigTemplate' },
  { kind: 'KubeadmControlPlane', name: 'c0-control-plane', template: 'AWSMachineTemplate' },
])('reports that the $template of a $kind is gone', ({ kind, name, template }) =>
  play({ at: 'nowhere', minutes: 0 }, true, async ({ client, settle, names, pass }) => {
    await settle();
    const [of = ''] = names(template).filter((one) => one.startsWith(name));
    await client.remove(template, of);
    await pass(1);
    const { body } = await client.get(kind, name);
    const { conditions } = (body as { status: { conditions: Condition[] } }).status;
    expect(conditions.find(({ type }) => type === 'ScalingUp')?.message).toBe(
      `Scaling up would be blocked because ${template} does not exist`,
    );
  }));
