"""Objects of Python classes, made without the Python code of their constructors."""


cdef extern from *:
    """
    #include <structmember.h>

    /* A tuple of a subclass: what tuple.__new__(type, (first, second, third)) returns. */
    static PyObject *factable_named_tuple(PyObject *type, PyObject *first, PyObject *second, PyObject *third) {
        PyObject *made = ((PyTypeObject *) type)->tp_alloc((PyTypeObject *) type, 3);
        if (made == NULL) return NULL;
        Py_INCREF(first);
        Py_INCREF(second);
        Py_INCREF(third);
        PyTuple_SET_ITEM(made, 0, first);
        PyTuple_SET_ITEM(made, 1, second);
        PyTuple_SET_ITEM(made, 2, third);
        return made;
    }

    /* An object of a class without a constructor in C, its fields not yet set: object.__new__(type). */
    static PyObject *factable_without_fields(PyObject *type) {
        return ((PyTypeObject *) type)->tp_alloc((PyTypeObject *) type, 0);
    }

    /* Where the objects of a class keep the field that a name in __slots__ stands for; -1 with an error. */
    static Py_ssize_t factable_slot(PyObject *type, PyObject *name) {
        PyObject *member = PyObject_GetAttr(type, name);
        Py_ssize_t offset = -1;
        if (member == NULL) return -1;
        if (Py_IS_TYPE(member, &PyMemberDescr_Type)) {
            offset = ((PyMemberDescrObject *) member)->d_member->offset;
        } else {
            PyErr_SetString(PyExc_TypeError, "not a field of __slots__");
        }
        Py_DECREF(member);
        return offset;
    }

    /* Set a field of an object that was made without fields. */
    static void factable_set_slot(PyObject *made, Py_ssize_t slot, PyObject *value) {
        Py_INCREF(value);
        *(PyObject **) ((char *) made + slot) = value;
    }
    """
    object without_fields "factable_without_fields" (object kind)
    object named_tuple "factable_named_tuple" (object kind, object first, object second, object third)
    Py_ssize_t slot_of "factable_slot" (object kind, object name) except -1
    void set_slot "factable_set_slot" (object made, Py_ssize_t slot, object value) noexcept
