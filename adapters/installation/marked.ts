import type { JsonValue } from '../../machinery/api/object.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { Position } from './position.ts';

/** Nothing was attempted: the installation refuses, and the state of the resource is unknown. */
const refused = (error: unknown) => {
  throw Object.assign(error as Error, { refusedBy: 'installation' });
};

/** A port whose effects first advance the installation's position, and are refused while it is frozen. */
export const marked = (port: Required<Port>, position: Pick<Position, 'before'>): Required<Port> => ({
  read: port.read,
  call: async (operation, input) => {
    const { region } = input as { region?: JsonValue };
    await position.before(typeof region === 'string' ? region : undefined).catch(refused);
    return port.call(operation, input);
  },
});
