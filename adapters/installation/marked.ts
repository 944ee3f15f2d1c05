import type { JsonValue } from '../../machinery/api/object.ts';
import type { Port } from '../../machinery/controller/index.ts';
import type { Position } from './position.ts';

/** Nothing was tried: what fails is the installation, and nothing is known of what was to be acted on. */
const refused = (error: unknown) => {
  throw Object.assign(error as Error, { refusedBy: 'installation' });
};

/** A port whose effects move the installation's position on before they happen, and do not happen while it is frozen. */
export const marked = (port: Required<Port>, position: Pick<Position, 'before'>): Required<Port> => ({
  read: port.read,
  call: async (operation, input) => {
    const { region } = input as { region?: JsonValue };
    await position.before(typeof region === 'string' ? region : undefined).catch(refused);
    return port.call(operation, input);
  },
});
