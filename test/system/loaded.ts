/**
 * Modules that production loads lazily are loaded here at the start: loading takes real time, during which
 * virtual time would pass or not, depending on the disk.
 */
import '../../lambdas/runtime/lost-dispatch.ts';
import { loadMoved } from '../../kinds/moved-extension.ts';
import '../../machinery/accounts/index.ts';
import { kindsOnDemand, publishedOnDemand } from '../../kinds/on-demand.ts';
import { loadAdmissions } from '../../kinds/operation-extension.ts';
import { loadProtection } from '../../kinds/protection-extension.ts';
import { loadQuota } from '../../kinds/quota-extensions.ts';
import { loadTopology } from '../../kinds/topology-extension.ts';
import { loadAdmissionRules } from '../../machinery/admission/extensions.ts';
import { definitionOf } from '../../machinery/api/kind.ts';
import '../../machinery/admission/of-controllers.ts';
import { loadReviewer } from '../../machinery/admission/users-admission.ts';
import '../../machinery/api/yaml.ts';
import { definitionKind } from '../../machinery/custom/kind.ts';
import '../../machinery/rbac/admission.ts';
import '../../machinery/rbac/bootstrap.ts';
import '../../machinery/server/apply.ts';
import '../../machinery/server/applying.ts';
import '../../machinery/server/discovery.ts';
import { lazy } from '../../machinery/server/lazy.ts';
import '../../machinery/server/openapi.ts';
import '../../machinery/server/owners.ts';
import '../../machinery/server/prepare.ts';
import '../../machinery/server/protobuf.ts';
import '../../machinery/server/scale.ts';
import '../../machinery/server/structural/validate.ts';
import '../../machinery/server/yaml.ts';
import { lazy as storeModules } from '../../machinery/store/lazy.ts';
import '../../runtime/default-policy.ts';
import '../../runtime/foretell.ts';
import '../../runtime/policy-upkeep.ts';
import * as schemas from '../../runtime/schemas.ts';

// The first import would take one turn more than all later ones.
for (const load of [...Object.values(lazy), ...Object.values(storeModules)]) await load();
for (const kind of [...kindsOnDemand, ...publishedOnDemand, definitionKind]) await definitionOf(kind);
await loadMoved();
await loadProtection();
await loadQuota();
await loadAdmissions();
await loadTopology(async () => schemas);
await loadReviewer();
await loadAdmissionRules();
