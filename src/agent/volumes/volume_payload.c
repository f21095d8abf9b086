/* volume_payload.c - what volumes are: where each lies, and which files configMap, secret, downwardAPI and projected volumes show.
 *
 *   emptyDir, configMap, secret, downwardAPI, projected   pods/UID/volumes/NAME
 *   hostPath                                               the path itself
 *   persistentVolumeClaim, ephemeral                       the claim's PersistentVolume: hostPath or local
 *
 * Other kinds are told apart by name, so that the sentence says what is missing here. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/pod/container_build_internal.h"

#define DEFAULT_MODE 0644

const struct json *pod_volume(const struct json *pod, str name)
{
    const struct json *all = json_get(json_get(pod, S("spec")), S("volumes"));
    for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++)
        if (str_eq(json_get_str(&all->items[i], S("name")), name))
            return &all->items[i];
    return NULL;
}

/* --- where -------------------------------------------------------------------------------------------------- */
static str kind_of(const struct json *volume, const char *but)
{
    for (uint32_t i = 0; json_is(volume, JSON_OBJECT) && i < volume->len; i++)
        if (!str_is(volume->members[i].key, but) && json_is(&volume->members[i].value, JSON_OBJECT))
            return volume->members[i].key;
    return S("");
}

/* Keys of a PersistentVolume's spec that are objects but no source. */
static bool is_no_source(str key)
{
    return str_is(key, "capacity") || str_is(key, "claimRef") || str_is(key, "nodeAffinity");
}

static int find_pv(struct arena *a, str name, const struct json *pv, struct volume_place *ret, struct err *err)
{
    const struct json *spec = json_get(pv, S("spec"));
    str path = json_get_str(json_get(spec, S("hostPath")), S("path")), local = json_get_str(json_get(spec, S("local")), S("path"));
    if (!path.len)
        path = local;
    if (path.len) {
        ret->path = arena_cstr(a, path);
        ret->is_block = str_is(json_get_str(spec, S("volumeMode")), "Block");
        return 0;
    }
    str kind = S("unknown");
    for (uint32_t i = 0; json_is(spec, JSON_OBJECT) && i < spec->len; i++)
        if (json_is(&spec->members[i].value, JSON_OBJECT) && !is_no_source(spec->members[i].key))
            kind = spec->members[i].key;
    return err_set(err, E_INVALID_ARG, "persistentvolume \"" STR_FMT "\" is of kind " STR_FMT ", which this node cannot mount; it can use hostPath and local", STR_ARG(name), STR_ARG(kind));
}

static bool is_owned_by(const struct json *object, const struct json *pod)
{
    const struct json *owners = json_get(json_get(object, S("metadata")), S("ownerReferences"));
    str uid = json_get_str(json_get(pod, S("metadata")), S("uid"));
    for (uint32_t i = 0; json_is(owners, JSON_ARRAY) && i < owners->len; i++)
        if (str_eq(json_get_str(&owners->items[i], S("uid")), uid))
            return true;
    return false;
}

static int find_claim(struct arena *a, const struct json *pod, str name, bool must_own, const struct pod_ref *refs, size_t nrefs, struct volume_place *ret, struct err *err)
{
    const struct pod_ref *claim = pod_ref_find(refs, nrefs, REF_PVC, name);
    if (!claim || !claim->object)
        return err_set(err, E_NOT_FOUND, "persistentvolumeclaim \"" STR_FMT "\" not found", STR_ARG(name));
    if (must_own && !is_owned_by(claim->object, pod))
        return err_set(err, E_INVALID_ARG, "PVC " STR_FMT " was not created for pod " STR_FMT " (pod is not owner)", STR_ARG(name), STR_ARG(json_get_str(json_get(pod, S("metadata")), S("name"))));
    str volume = json_get_str(json_get(claim->object, S("spec")), S("volumeName")), phase = json_get_str(json_get(claim->object, S("status")), S("phase"));
    if (!volume.len || !str_is(phase, "Bound"))
        return err_set(err, E_NOT_FOUND, "persistentvolumeclaim \"" STR_FMT "\" is not bound", STR_ARG(name));
    const struct pod_ref *pv = pod_ref_find(refs, nrefs, REF_PV, volume);
    if (!pv || !pv->object)
        return err_set(err, E_NOT_FOUND, "persistentvolume \"" STR_FMT "\" not found", STR_ARG(volume));
    return find_pv(a, volume, pv->object, ret, err);
}

int volume_find(struct arena *a, const struct json *pod, const struct json *volume, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, struct volume_place *ret, struct err *err)
{
    static const char *const ours[] = {"emptyDir", "configMap", "secret", "downwardAPI", "projected"};
    const struct json *claim = json_get(volume, S("persistentVolumeClaim")), *host = json_get(volume, S("hostPath"));
    str name = json_get_str(volume, S("name")), kind = kind_of(volume, "name"), pod_name = json_get_str(json_get(pod, S("metadata")), S("name"));
    struct volume_place p = {0};
    int r = 0;
    if (claim) {
        r = find_claim(a, pod, json_get_str(claim, S("claimName")), false, refs, nrefs, &p, err);
        p.read_only = json_get_bool(claim, S("readOnly"), false);
    } else if (json_get(volume, S("ephemeral"))) {
        r = find_claim(a, pod, arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(pod_name), STR_ARG(name)), true, refs, nrefs, &p, err);
    } else if (host) {
        p.path = arena_cstr(a, json_get_str(host, S("path")));
    } else {
        p.is_ours = !kind.len; /* without a source it is an emptyDir */
        for (size_t i = 0; i < ARRAY_LEN(ours); i++)
            p.is_ours |= str_is(kind, ours[i]);
        p.path = arena_fmt(a, "%s/volumes/" STR_FMT, node->pod_dir, STR_ARG(name)).p;
        /* Files of the agent's are written by it as root, again and again: a container that could put a link in their place would have it write elsewhere. */
        p.read_only = p.is_ours && kind.len && !str_is(kind, "emptyDir");
        if (!p.is_ours)
            r = err_set(err, E_INVALID_ARG, "volume \"" STR_FMT "\" is of kind " STR_FMT ", which this node cannot mount; use a persistentVolumeClaim of kind hostPath or local", STR_ARG(name),
                        STR_ARG(kind));
    }
    if (r == 0)
        *ret = p;
    return r;
}

/* --- which files ---------------------------------------------------------------------------------------------- */
struct filling {
    struct arena *a;
    const struct json *pod;
    const struct pod_ref *refs;
    size_t nrefs;
    const struct build_node *node;
    volume_files *files;
    unsigned mode; /* of files without one */
};

static void add_file(struct filling *f, str path, str text, const struct json *item)
{
    unsigned mode = (unsigned)json_get_int(item, S("mode"), f->mode);
    vec_push(f->files, (struct volume_file){.path = path, .text = text, .mode = mode});
}

static int add_items(struct filling *f, enum ref_kind kind, const struct json *object, const struct json *items, bool optional, struct err *err)
{
    for (uint32_t i = 0; i < items->len; i++) {
        str key = json_get_str(&items->items[i], S("key")), path = json_get_str(&items->items[i], S("path")), text;
        if (ref_value(f->a, kind, object, key, &text))
            add_file(f, path, text, &items->items[i]);
        else if (!optional)
            return err_set(err, E_NOT_FOUND, "references non-existent %s key: " STR_FMT, kind == REF_CONFIGMAP ? "config" : "secret", STR_ARG(key));
    }
    return 0;
}

static int add_object(struct filling *f, enum ref_kind kind, const struct json *source, str name, struct err *err)
{
    const struct pod_ref *ref = pod_ref_find(f->refs, f->nrefs, kind, name);
    const struct json *items = json_get(source, S("items"));
    bool optional = json_get_bool(source, S("optional"), false);
    if (!ref || !ref->object)
        return optional ? 0 : err_set(err, E_NOT_FOUND, "%s \"" STR_FMT "\" not found", ref_kind_name(kind), STR_ARG(name));
    if (json_is(items, JSON_ARRAY) && items->len)
        return add_items(f, kind, ref->object, items, optional, err);
    static const str maps[] = {STR_INIT("data"), STR_INIT("binaryData")};
    for (size_t m = 0; m < (kind == REF_CONFIGMAP ? 2u : 1u); m++) {
        const struct json *all = json_get(ref->object, maps[m]);
        for (uint32_t i = 0; json_is(all, JSON_OBJECT) && i < all->len; i++) {
            str text;
            if (!ref_value(f->a, kind, ref->object, all->members[i].key, &text))
                return err_set(err, E_PARSE, "key " STR_FMT " of %s \"" STR_FMT "\" is not base64", STR_ARG(all->members[i].key), ref_kind_name(kind), STR_ARG(name));
            add_file(f, all->members[i].key, text, NULL);
        }
    }
    return 0;
}

static int add_downward(struct filling *f, const struct json *items, struct err *err)
{
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        const struct json *item = &items->items[i], *field = json_get(item, S("fieldRef")), *resource = json_get(item, S("resourceFieldRef"));
        str text = S("");
        int r = field ? pod_field(f->a, f->pod, f->node, json_get_str(field, S("fieldPath")), &text, err)
                      : pod_resource_field(f->a, f->pod, NULL, f->node, resource, &text, err);
        if (r < 0)
            return r;
        add_file(f, json_get_str(item, S("path")), text, item);
    }
    return 0;
}

/* The token is for the pod's containers alone: with a group or a common user only they may read it. */
static int add_token(struct filling *f, const struct json *source, struct err *err)
{
    const struct json *spec = json_get(f->pod, S("spec"));
    str account = json_get_str(spec, S("serviceAccountName")), audience = json_get_str(source, S("audience"));
    int64_t expires = json_get_int(source, S("expirationSeconds"), 3600);
    for (size_t i = 0; i < f->nrefs; i++) {
        const struct pod_ref *r = &f->refs[i];
        if (r->kind != REF_TOKEN || !str_eq(r->audience, audience) || r->expires_s != expires)
            continue;
        str token = json_get_str(json_get(r->object, S("status")), S("token"));
        if (!token.len)
            break;
        struct volume_file file = {.path = json_get_str(source, S("path")), .text = token, .mode = f->mode};
        file.has_owner = pod_common_uid(f->pod, &file.owner);
        if (file.has_owner || json_get(json_get(spec, S("securityContext")), S("fsGroup")))
            file.mode = 0600;
        vec_push(f->files, file);
        return 0;
    }
    return err_set(err, E_NOT_FOUND, "failed to fetch token: serviceaccounts \"" STR_FMT "\" not found", STR_ARG(account.len ? account : S("default")));
}

static int add_projected(struct filling *f, const struct json *sources, struct err *err)
{
    int r = 0;
    for (uint32_t i = 0; r == 0 && json_is(sources, JSON_ARRAY) && i < sources->len; i++) {
        const struct json *s = &sources->items[i], *x;
        if ((x = json_get(s, S("configMap"))))
            r = add_object(f, REF_CONFIGMAP, x, json_get_str(x, S("name")), err);
        else if ((x = json_get(s, S("secret"))))
            r = add_object(f, REF_SECRET, x, json_get_str(x, S("name")), err);
        else if ((x = json_get(s, S("downwardAPI"))))
            r = add_downward(f, json_get(x, S("items")), err);
        else if ((x = json_get(s, S("serviceAccountToken"))))
            r = add_token(f, x, err);
        else
            r = err_set(err, E_INVALID_ARG, "source " STR_FMT " of a projected volume is not known here", STR_ARG(kind_of(s, "")));
    }
    return r;
}

int volume_payload(struct arena *a, const struct json *pod, const struct json *volume, const struct pod_ref *refs, size_t nrefs, const struct build_node *node, volume_files *files, bool *ret_is_files,
                   struct err *err)
{
    const struct json *config = json_get(volume, S("configMap")), *secret = json_get(volume, S("secret")), *downward = json_get(volume, S("downwardAPI")), *projected = json_get(volume, S("projected"));
    const struct json *source = config ? config : secret ? secret : downward ? downward : projected;
    struct filling f = {.a = a, .pod = pod, .refs = refs, .nrefs = nrefs, .node = node, .files = files, .mode = (unsigned)json_get_int(source, S("defaultMode"), DEFAULT_MODE)};
    *ret_is_files = source != NULL;
    if (config)
        return add_object(&f, REF_CONFIGMAP, config, json_get_str(config, S("name")), err);
    if (secret)
        return add_object(&f, REF_SECRET, secret, json_get_str(secret, S("secretName")), err);
    if (downward)
        return add_downward(&f, json_get(downward, S("items")), err);
    return projected ? add_projected(&f, json_get(projected, S("sources")), err) : 0;
}
