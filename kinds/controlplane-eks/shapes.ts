/** Shapes that the kinds of EKS share. */
import { boolean, int32, map, object, string } from '../../machinery/api/schema.ts';
import { tags } from '../infrastructure-aws/shapes.ts';

export const endpoint = object('Where the API server is reached; filled in by the controller.', {
  host: string('Host name.', { maxLength: 512 }),
  port: int32('Port.'),
});

export const failureDomains = map(
  'Zones that machines can be placed in, by name.',
  object('A zone.', {
    attributes: tags('Further facts about the zone.'),
    controlPlane: boolean('Whether control-plane machines may be placed there.'),
  }),
);
