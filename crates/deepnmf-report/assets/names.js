// What things are called.

const featureNames = new Map(content.feature_names);

/** What stands side by side: layers, or the parts of an additive model. */
const noun = content.model.side_by_side;
const areParts = noun === 'part';
const layerName = (layer) => `${areParts ? 'Part' : 'Layer'} ${layer + 1}`;
const featureName = (feature) => featureNames.get(feature) ?? `feature ${feature + 1}`;

function sampleName(sample) {
  const name = content.samples.names?.[sample];
  return name ? name : `sample ${count(content.samples.numbers[sample])}`;
}

function className(attribute, code) {
  return code < 0 ? 'unknown' : content.attributes[attribute].classes[code];
}

/** The attribute whose majority class stands out most in a cluster. */
function majorityAttribute(clustering, cluster) {
  if (clustering.attribute !== null) return clustering.attribute;
  let best = null;
  let most = -1;
  clustering.clusters[cluster].mostly.forEach((mostly, attribute) => {
    if (!mostly) return;
    const even = 1 / content.attributes[attribute].classes.length;
    const surplus = (mostly[1] - even) / (1 - even);
    if (surplus > most) [best, most] = [attribute, surplus];
  });
  return best;
}

/** The topic that a cluster is the samples of, if it is one. */
function topicOf(clustering, cluster) {
  const topics = clustering.as_found && content.layers[clustering.layer].topics;
  return topics ? topics.topics.find(({ component }) => component === cluster) : undefined;
}

/** A topic by its words. */
const topicTitle = ({ top }, words) =>
  top
    .slice(0, words)
    .map(([feature]) => featureName(feature))
    .join(', ');

/** A cluster by its majority: `{ title, share, attribute }`. */
function clusterName(clustering, cluster) {
  const topic = topicOf(clustering, cluster);
  if (topic) return { title: topicTitle(topic, 3), share: null, attribute: null };
  const attribute = majorityAttribute(clustering, cluster);
  const mostly = attribute === null ? null : clustering.clusters[cluster].mostly[attribute];
  if (!mostly) return { title: `cluster ${cluster + 1}`, share: null, attribute: null };
  const title = `${short(content.attributes[attribute].name, 24)} ${short(className(attribute, mostly[0]), 40)}`;
  return { title, share: mostly[1], attribute };
}

/** The same as a sentence. */
function clusterText(clustering, cluster) {
  const { title, share, attribute } = clusterName(clustering, cluster);
  const start = `${layerName(clustering.layer)}, cluster ${cluster + 1}`;
  if (topicOf(clustering, cluster)) return `${start}: ${title}`;
  if (attribute === null) return start;
  return `${start}: mostly ${title} (${percent(share)})`;
}

function groupingName(way) {
  if (way.as_found) return areParts ? 'as found' : 'by the main topic';
  if (way.asked !== null) return `${way.asked} clusters in every ${noun}`;
  if (way.attribute === null) return `by each ${noun}'s best attribute`;
  const attribute = content.attributes[way.attribute];
  return `by ${attribute.name} (${attribute.classes.length})`;
}

/** A word for samples. */
const thing = content.samples.pictures ? 'picture' : 'sample';
