/**
 * What production loads with its first use is here from the beginning: to load a module takes real time, in which virtual
 * time would pass or not as the disk pleases.
 */
import '../../machinery/api/yaml.ts';
import '../../machinery/server/create.ts';
import '../../machinery/server/delete.ts';
import '../../machinery/server/delete-collection.ts';
import '../../machinery/server/discovery.ts';
import '../../machinery/server/openapi.ts';
import '../../machinery/server/patch.ts';
import '../../machinery/server/prepare.ts';
import '../../machinery/server/protobuf.ts';
import '../../machinery/server/scale.ts';
import '../../machinery/server/structural/validate.ts';
import '../../machinery/server/update.ts';
import '../../machinery/server/watch.ts';
import '../../machinery/server/yaml.ts';
