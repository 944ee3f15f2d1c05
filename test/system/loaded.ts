/**
 * What production loads with its first use is here from the beginning: to load a module takes real time, in which virtual
 * time would pass or not as the disk pleases.
 */
import '../../lambdas/runtime/lost-dispatch.ts';
import { kindsOnDemand } from '../../kinds/on-demand.ts';
import { loadQuota } from '../../kinds/quota-extensions.ts';
import { definitionOf } from '../../machinery/api/kind.ts';
import '../../machinery/api/yaml.ts';
import '../../machinery/server/discovery.ts';
import { lazy } from '../../machinery/server/lazy.ts';
import '../../machinery/server/openapi.ts';
import '../../machinery/server/prepare.ts';
import '../../machinery/server/protobuf.ts';
import '../../machinery/server/scale.ts';
import '../../machinery/server/yaml.ts';
import { lazy as storeModules } from '../../machinery/store/lazy.ts';

// Who asks first would wait for a turn more than everybody after him.
for (const load of [...Object.values(lazy), ...Object.values(storeModules)]) await load();
for (const kind of kindsOnDemand) await definitionOf(kind);
await loadQuota();
